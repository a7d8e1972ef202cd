// Links a term to its definition in the glossary where a page first uses it in prose or a table; headings, code and links stay as they are. `cargo xtask docs --check` compares the list with the glossary.
"use strict";
(function () {
    // By the glossary's anchor. A term whose word has another everyday meaning ("kernel", "event") is not linked: null.
    const terms = {
        agent: null, kernel: null, grid: null, event: null, ring: null, stack: null, turn: /\b([Bb]uffer's|whose|\w's) turn\b/, "virtual-gpu": null,
        "work-group": /\b[Ww]ork-groups?\b/, "work-item": /\b[Ww]ork-items?\b/, wavefront: /\b([Ww]avefronts?|waves?)\b/, vgpr: /\b[SV]GPRs?\b/, mfma: /\bS?MFMAC?\b/, kernarg: /\bkernarg\b/,
        "code-object": /\b[Cc]ode objects?\b/, "kernel-descriptor": /\bkernel descriptors?\b/,
        aql: /\bAQL(?! queue| packet)\b/, "aql-queue": /\bAQL queues?\b/, "write-index": /\b[Ww]rite index\b/, "read-index": /\b[Rr]ead index\b/,
        doorbell: /\b[Dd]oorbells?\b/, mmio: /\bMMIO\b/, "kernel-dispatch-packet": /\b(kernel )?dispatch packets?\b/, "barrier-packet": /\bbarrier packets?\b/,
        "barrier-bit": /\bbarrier bit\b/, marker: /\b[Mm]arkers?\b/, "direct-dispatch": /\b[Dd]irect dispatch\b/, fence: /\b([Ff]ences?|(acquire|release) scope)\b/, pm4: /\bPM4\b/, sdma: /\b(SDMA|copy engines?)\b/,
        "blit-kernel": /\bblit kernels?\b/, "staging-buffer": /\bstaging (buffer|memory)\b/,
        signal: /\b[Ss]ignals?\b(?! handler)/, "event-mailbox": /\bmailbox\b/, "event-page": /\b[Ee]vent page\b/, "sync-object": /\b[Ss]ync objects?\b/, "end-of-pipe": /\b[Ee]nd[ -]of[ -]pipe\b/, "eop-buffer": /\bEOP buffers?\b/,
        "command-processor": /\b[Cc]ommand processor\b/, dispatcher: /\b[Dd]ispatcher\b/, "compute-unit": /\b[Cc]ompute units?\b/, "shader-engine": /\b[Ss]hader engines?\b/, xcc: /\bXCCs?\b/, xcd: /\bXCDs?\b/, partition: null, lds: /\bLDS\b/, scratch: /\b[Ss]cratch\b/, hqd: /\bHQD\b/, mqd: /\bMQDs?\b/,
        hws: /\b(HWS|hardware scheduler)\b/, oversubscription: /\b[Oo]versubscription\b/, mes: /\bMES\b/, "run-list": /\b[Rr]un list\b/, cwsr: /\b(CWSR|context save area)\b/, "trap-handler": /\b[Tt]rap handler\b/,
        vmid: /\bVMID\b/, pasid: /\bPASID\b/, gpuvm: /\bGPUVM\b/, tlb: /\bTLBs?\b/, mtype: /\b(MTYPE|UC|NC)\b/, apu: /\bAPUs?\b/, vram: /\bVRAM\b/, gtt: /\bGTT\b/, userptr: /\b(USERPTR|[Uu]serptr|user pointers?)\b/, bo: /\b(BOs?|buffer objects?)\b/, ttm: /\bTTM\b/, "mmu-notifier": /\bMMU notifiers?\b/,
        "pageable-memory": /\b[Pp]ageable\b/, "pinned-memory": /\b(pinned|page-locked)( memory)?\b/, bar: /\bBAR\b/, hdp: /\bHDP\b/, svm: /\bSVM\b/, hmm: /\bHMM\b/,
        "coarse-grained": /\b[Cc]oarse-grained\b/, "fine-grained": /\b[Ff]ine-grained\b/, xnack: /\bXNACK\b/, ipc: /\bIPC\b/, "dma-buf": /\bdma-bufs?\b/, xgmi: /\bxGMI\b/, hive: /\bhives?\b/, bdf: /\bBDF\b/,
        hsa: /\bHSA\b(?! runtime)/, rocr: /\b(ROCr|HSA runtime)\b/, rocclr: /\bROCclr\b/, thunk: /\b(thunk|libhsakmt)\b/, kfd: /\b(KFD|amdkfd)\b/, topology: /\b[Tt]opology\b/, "render-node": /\brender nodes?\b/,
        ioctl: /\bioctls?\b/, aperture: /\b[Aa]pertures?\b/, occupancy: /\b[Oo]ccupancy\b/, hostcall: /\b[Hh]ostcall\b/, comgr: /\bcomgr\b/, hiprtc: /\bhiprtc\b/,
        "fat-binary": /\b[Ff]at binar(y|ies)\b/, "generic-target": /\b[Gg]eneric targets?\b/, "kernel-object": /\b[Kk]ernel objects?\b/,
    };
    window.glossaryTerms = terms;
    const main = document.querySelector("main");
    if (!main || /\/glossary\.html$/.test(location.pathname)) {
        return;
    }
    const left = new Map(Object.entries(terms).filter(([, pattern]) => pattern));
    const not = "a, code, pre, h1, h2, h3, h4, th, button, .recording, script, style";
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT, {
        acceptNode: (text) => text.parentElement.closest(not) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    });
    const all = [];
    while (texts.nextNode()) {
        all.push(texts.currentNode);
    }
    for (let text of all) {
        for (;;) {
            // The first of the terms that are left in this text, the longer where two begin at once.
            let first;
            for (const [anchor, pattern] of left) {
                const found = pattern.exec(text.data);
                if (found && (!first || found.index < first.at || (found.index === first.at && found[0].length > first.word.length))) {
                    first = { anchor, at: found.index, word: found[0] };
                }
            }
            if (!first) {
                break;
            }
            left.delete(first.anchor);
            const link = document.createElement("a");
            link.className = "term";
            link.href = `${path_to_root}glossary.html#${first.anchor}`;
            const word = text.splitText(first.at);
            text = word.splitText(first.word.length);
            word.replaceWith(link);
            link.append(word);
        }
    }
})();
