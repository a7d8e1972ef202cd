// `cargo xtask docs --check` loads this into a page of its own, beside the site, in a browser: opens each page of the site in a frame and uses it as a
// reader would. `pages` is the list, `pictures` that of the drawings. What is wrong is left in the document, a line each, then "done" with the number of checks.
"use strict";
(async function () {
    const WIDE = "1200px";
    const NARROW = "360px";
    const TABLET = "800px";
    const USUAL = "1400px";
    // Names from backtraces and logs, with what a result has to say if that is not the name.
    const NAMES = [
        ["submitKernel"], ["dispatchAqlPacket"], ["AsyncEventsLoop"], ["hip_module.cpp"], ["VirtualGPU"], ["KernelBlitManager"], ["rocvirtual.cpp"],
        ["amd::roc::VirtualGPU::submitKernel(amd::NDRangeKernelCommand&)", "submitKernel"], ["hip_module.cpp:744", "hip_module.cpp"],
        ["hsa_queue_create", "#e=hsa_queue_create"], ["hsa_signal_store_screlease", "#e=hsa_signal_store_screlease"], ["kernel_dispatch", "#e=kernel_dispatch"],
        ["AMDKFD_IOC_CREATE_QUEUE", "AMDKFD_IOC_CREATE_QUEUE"], ["hipStreamWaitEvent", "#e=hipStreamWaitEvent"], ["barrier_and", "#e=barrier_and"],
        ["hsa_amd_signal_async_handler", "#e=hsa_amd_signal_async_handler"], ["CREATE_QUEUE", "#create_queue"], ["clEnqueueNDRangeKernel"], ["hsaKmtCreateQueue"],
        ["create_queue", "CREATE_QUEUE"],
    ];
    const lines = [];
    let checks = 0;

    function check(page, what, right) {
        checks++;
        if (!right) {
            lines.push(`${page}: ${what}`);
        }
    }

    // Until `found` gives something, or for two seconds.
    async function wait(found) {
        for (let i = 0; i < 200; i++) {
            const value = found();
            if (value) {
                return value;
            }
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return undefined;
    }

    function open(page, width = WIDE) {
        return new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.style.width = width;
            frame.style.height = "900px";
            frame.onload = () => resolve(frame);
            frame.src = page;
            document.body.append(frame);
        });
    }

    async function use(page, frame) {
        const inside = frame.contentDocument;
        const all = (selector) => [...inside.querySelectorAll(selector)];
        const press = (key) => inside.activeElement.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const chosen = () => all(".rec-list .chosen .rec-what").map((item) => item.textContent)[0];
        const [version, beside, tool] = all(".recording > .rec-bar select");
        const change = async (select, value, done) => {
            select.value = value;
            select.dispatchEvent(new frame.contentWindow.Event("change"));
            return wait(done);
        };

        const names = [...version.options].map((option) => option.value);
        check(page, "begins with the newest version", names.join() === [...all(".recording")[0].dataset.stacks.split(" ")].reverse().join());
        for (const stack of [...version.options].map((option) => option.value)) {
            const name = `${page} (${stack})`;
            const shown = await change(version, stack, () => inside.body.textContent.includes(`${stack}: HIP`) && all(".rec-item").length);
            check(name, "shows no events", shown);
            check(name, "has as many boxes as events", all(".rec-box").length === all(".rec-item").length);
            check(name, "has no event opened", all(".rec-event h3").length === 1);
            labels(name, all);
            const packet = all(".rec-item.layer-queue").find((item) => /kernel_dispatch|barrier_and/.test(item.textContent));
            if (packet) {
                packet.click();
                check(name, "a click opens the packet", all(".rec-packet tbody tr").length >= 10);
                all(".rec-bytes button")[1].click();
                check(name, "a click on bytes marks their field", all(".rec-packet tr.chosen").length === 1);
                const bytes = all(".rec-bytes button").map((button) => button.textContent).join("");
                check(name, "a packet has 64 bytes", bytes.length === 128);
            }
            all(".rec-box")[0].click();
            check(name, "a click on the time line opens the event", all(".rec-box.chosen").length === 1);
            all(".rec-item")[0].click();
            const first = chosen();
            press("End");
            check(name, "the key End goes to the last event", all(".rec-list li:last-child .chosen").length === 1);
            press("Home");
            check(name, "the key Home goes to the first event", chosen() === first);
            press("ArrowRight");
            check(name, "the right key goes on", all(".rec-list li:nth-child(2) .chosen").length === 1);
            check(name, "the page stays", frame.contentWindow.location.href.includes(page));
            check(name, "the address leads to the event", frame.contentWindow.location.hash.includes("e=2"));
            if (packet) {
                packet.click();
                check(name, "a packet's way is drawn", all(".rec-flow path").length > 0);
                const before = chosen();
                press("f");
                check(name, "the key f goes along the way", chosen() !== before);
            }
        }
        await more(page, frame, all, press);
        const other = [...version.options].map((option) => option.value).find((value) => value !== version.value);
        check(page, "two versions side by side", await change(beside, other, () => all(".rec-view").length === 2));
        const [left, right] = all(".rec-view").map((view) => view.getBoundingClientRect());
        check(page, "they are beside each other", left && right && left.right < right.left && Math.abs(left.width - right.width) < 2);
        for (const [number, view] of all(".rec-view").entries()) {
            check(page, `version ${number + 1} of two has an event opened`, view.querySelector(".rec-box.chosen") && view.querySelector(".rec-event h3"));
        }
        if (tool) {
            const everything = all(".rec-item").length;
            const seen = () => all(".rec-item:not(.unseen)");
            const see = (name, count) => change(tool, name, () => count(seen().length));
            check(page, "rocm-trace sees all", seen().length === everything);
            check(page, "HSA_TOOLS_LIB sees a part", await see("HSA_TOOLS_LIB", (count) => count > 0 && count < everything));
            check(page, "it sees HSA's calls and doorbells", seen().every((item) => item.matches(".layer-hsa, .layer-queue")));
            check(page, "time line and list agree", all(".rec-box.unseen").length === all(".rec-item.unseen").length);
            check(page, "rocm-smi sees nothing", await see("rocm-smi, amd-smi", (count) => count === 0));
            check(page, "the address has the tool", frame.contentWindow.location.hash.includes("t=rocm-smi"));
        }
    }

    // Names on the time line are whole and lie on nothing.
    function labels(name, all) {
        const named = all(".rec-box.named");
        check(name, "names boxes of the time line", named.length >= Math.min(5, all(".rec-box").length));
        const cut = named.filter((box) => !box.classList.contains("outside") && box.firstChild.offsetWidth > box.clientWidth + 8);
        check(name, `cuts the name of ${cut.map((box) => box.textContent)}`, cut.length === 0);
        for (const row of all(".rec-row:not([hidden])")) {
            const places = [...row.querySelectorAll(".rec-box:not([hidden])")].map((box) => {
                const around = box.getBoundingClientRect();
                const text = box.classList.contains("outside") ? box.firstChild.getBoundingClientRect().right : around.right;
                return { box, top: Math.round(around.top), left: around.left, right: text };
            });
            places.sort((a, b) => a.top - b.top || a.left - b.left);
            const over = places.find((one, index) => index && places[index - 1].top === one.top && places[index - 1].right > one.left + 2);
            check(name, `a name or box lies on ${over && over.box.textContent}`, !over);
        }
    }

    // Zoom, drag, axis, filters, keys without a click, steps of the text, links, Back, the file for Perfetto.
    async function more(page, frame, all, press) {
        const { contentDocument: inside, contentWindow: view } = frame;
        const [line] = all(".rec-line");
        const [rows] = all(".rec-rows");
        const button = (text) => all(".rec-zoom button").find((one) => one.textContent === text);
        check(page, "threads have rows of their own", all(".rec-row .rec-thread").length === all(".rec-row").length);
        button("whole").click();
        const whole = rows.offsetWidth;
        check(page, "the whole recording fits", whole <= line.clientWidth * 1.6);
        check(page, "the axis has times", all(".rec-tick").length > 1);
        button("+").click();
        button("+").click();
        check(page, "zooms in", rows.offsetWidth > whole);
        labels(`${page} (zoomed)`, all);
        const mouse = (type, x) => line.dispatchEvent(new view.PointerEvent(type, { pointerType: "mouse", button: 0, clientX: x, bubbles: true }));
        line.scrollLeft = 0;
        mouse("pointerdown", 500);
        mouse("pointermove", 440);
        check(page, "is dragged", line.scrollLeft === 60);
        mouse("pointerup", 440);
        const width = rows.offsetWidth;
        line.dispatchEvent(new view.WheelEvent("wheel", { deltaY: -200, ctrlKey: true, bubbles: true, cancelable: true }));
        check(page, "Ctrl and the wheel zoom", rows.offsetWidth > width);
        const [axis] = all(".rec-zoom select");
        axis.value = "steps";
        axis.dispatchEvent(new view.Event("change"));
        check(page, "steps in order", all(".rec-steps").length === 1);
        labels(`${page} (steps)`, all);
        axis.value = "time";
        axis.dispatchEvent(new view.Event("change"));

        const items = () => all(".rec-list li:not([hidden])");
        const boxes = () => all(".rec-box:not([hidden])").length;
        const count = items().length;
        const [layer] = all(".rec-layer input");
        const left_out = all(`.rec-item.${layer.parentElement.classList[1]}`).length;
        layer.click();
        check(page, "a layer is left out", items().length === count - left_out && boxes() === items().length);
        check(page, "the address has the layers", left_out === count || view.location.hash.includes("l="));
        layer.click();
        check(page, "and comes back", items().length === count && boxes() === count);
        const [search] = all(".rec-filters input[type=search]");
        const word = all(".rec-list li:last-child .rec-what")[0].textContent.split(/[ :(]/)[0];
        const type = (text) => {
            search.value = text;
            search.dispatchEvent(new view.Event("input"));
        };
        type(word);
        check(page, `only events with ${word}`, items().length > 0 && items().length === boxes() && items().length < Math.max(count, 2));
        check(page, "the last is one of them", !all(".rec-list li:last-child")[0].hidden);
        type("");

        inside.activeElement.blur();
        const opened = () => all(".rec-event h3 + p")[0].textContent.split(" of ")[0];
        all(".rec-item")[0].click();
        inside.activeElement.blur();
        press("ArrowRight");
        check(page, "a key works without a click", opened() === "2");
        const links = all(".rec-links a");
        check(page, "an event has a link", links[0].hash.includes("e=2") && links[0].hash.includes("v="));
        const explained = decodeURIComponent(new URL(links[1].href).pathname);
        check(page, `${explained} explains it`, pages.some((one) => explained.endsWith(one)));

        const [step] = all(".rec-step");
        const linked = [...inside.querySelectorAll('main > ol > li a[href^="#e="], main > p a[href^="#e="]')];
        check(page, "steps of the text are shown", step.hidden === (linked.length === 0));
        if (linked.length) {
            const target = linked[linked.length - 1];
            target.scrollIntoView();
            const had = view.location.hash;
            target.click();
            check(page, "a link opens its event", view.location.hash !== had && all(".rec-box.chosen").length === 1);
            check(page, "the step of the text is shown", step.querySelector(".rec-text").textContent.includes(target.textContent));
            view.history.back();
            const returned = () => view.location.hash === had && target.getBoundingClientRect().top >= 0 && target.getBoundingClientRect().bottom <= view.innerHeight;
            check(page, "Back returns to the link", await wait(returned));
            inside.activeElement.blur();
            const shown = step.textContent;
            press("p");
            const earlier = step.textContent;
            press("n");
            check(page, "the keys n and p go through the text", all(".rec-step button").every((one) => one.disabled) || shown !== earlier || step.textContent !== earlier);
        }
        const [[recorded, data]] = Object.entries(view.loadedRecordings);
        const file = view.perfettoFile(data);
        check(page, "has a file for Perfetto", file.length > 200 && all("a.rec-perfetto").length === 1);
        if (page.endsWith("launch.html")) {
            const kept = document.createElement("pre");
            kept.id = "perfetto";
            kept.textContent = `${recorded} ` + [...file].map((byte) => byte.toString(16).padStart(2, "0")).join("");
            document.body.append(kept);
        }
    }

    // What somebody with a backtrace or a log types is found, and at once: among the first results.
    async function searches(page) {
        const frame = await open(page);
        const { contentDocument: inside, contentWindow: view } = frame;
        inside.querySelector("#mdbook-search-toggle").click();
        const bar = inside.querySelector("#mdbook-searchbar");
        const results = () => [...inside.querySelectorAll("#mdbook-searchresults li")];
        const header = () => inside.querySelector("#mdbook-searchresults-header").innerText;
        for (const [query, expected] of NAMES) {
            bar.value = query;
            bar.dispatchEvent(new view.Event("input", { bubbles: true }));
            bar.dispatchEvent(new view.KeyboardEvent("keyup", { key: "a", bubbles: true }));
            await wait(() => header().includes(`'${query}'`));
            const first = results().slice(0, 10).map((item) => `${item.querySelector("a").href} ${item.textContent}`);
            check(page, `the search does not find ${query}: ${first.length} results`, first.some((text) => text.includes(expected || query)));
        }
        frame.remove();
    }

    // Names in code that are broken within a word: between two letters or digits, where tables.js lets nothing break.
    function broken(inside) {
        const range = inside.createRange();
        const found = [];
        for (const code of inside.querySelectorAll("main :not(pre) > code")) {
            if (code.closest(".recording") || code.getClientRects().length < 2) {
                continue;
            }
            for (const text of [...code.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
                const tops = [...text.data].map((_, at) => {
                    range.setStart(text, at);
                    range.setEnd(text, at + 1);
                    return range.getBoundingClientRect().top;
                });
                const at = tops.findIndex((top, index) => index && top > tops[index - 1] + 5 && /\w\w/.test(text.data.slice(index - 1, index + 1)));
                // A digest has no parts.
                if (at > 0 && !/^[0-9a-f]{32,}$/.test(text.data)) {
                    found.push(`${text.data.slice(0, at)}|${text.data.slice(at)}`);
                }
            }
        }
        return found;
    }

    async function onATablet(page) {
        const frame = await open(page, TABLET);
        const inside = frame.contentDocument;
        const cut = [...inside.querySelectorAll("main .table-wrapper")].filter((one) => one.scrollWidth > one.clientWidth + 1);
        check(page, `a table is cut off on a tablet: ${cut.length && cut[0].textContent.trim().slice(0, 60)}`, cut.length === 0);
        const names = broken(inside);
        check(page, `names are broken on a tablet: ${names.slice(0, 5)}`, names.length === 0);
        frame.remove();
    }

    async function onATelephone(page) {
        const frame = await open(page, NARROW);
        const inside = frame.contentDocument;
        if (inside.querySelector(".recording")) {
            await wait(() => inside.querySelector(".rec-item"));
        }
        check(page, "is too wide for a telephone", inside.documentElement.scrollWidth <= parseInt(NARROW));
        const tables = [...inside.querySelectorAll("main .table-wrapper, main .table-wrapper td")];
        const cut = tables.filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1);
        check(page, `a table is cut off on a telephone: ${cut.length && cut[0].textContent.trim().slice(0, 60)}`, cut.length === 0);
        const names = broken(inside);
        check(page, `names are broken on a telephone: ${names.slice(0, 5)}`, names.length === 0);
        frame.remove();
    }

    // Every text of a picture is inside, and large enough where the picture is as wide as a telephone.
    for (const picture of pictures) {
        const frame = await open(picture);
        const svg = frame.contentDocument.documentElement;
        const { width, height } = svg.viewBox.baseVal;
        const texts = [...svg.querySelectorAll("text")];
        const outside = texts.filter((text) => {
            const box = text.getBBox();
            return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
        });
        check(picture, `text is cut off: ${outside.map((text) => text.textContent)}`, texts.length > 0 && outside.length === 0);
        const small = texts.filter((text) => parseFloat(text.getAttribute("font-size")) * 360 / width < 8.9);
        check(picture, `text is too small: ${small.map((text) => text.textContent)}`, small.length === 0);
        frame.remove();
    }
    await searches(pages.find((page) => page.endsWith("layers.html")));
    for (const page of pages) {
        const frame = await open(page);
        const inside = frame.contentDocument;
        check(page, "has no heading", inside.querySelector("main h1"));
        const pictures = [...inside.querySelectorAll("main img")];
        check(page, "a picture is not there", pictures.every((one) => one.complete && one.naturalWidth > 0));
        check(page, "a picture has no words in its place", pictures.every((one) => one.alt.length > 5));
        if (page.endsWith("/glossary.html")) {
            const defined = [...inside.querySelectorAll("main dt")].map((one) => one.id).sort();
            const known = Object.keys(frame.contentWindow.glossaryTerms).sort();
            check(page, `terms.js and the glossary differ: ${defined.filter((one) => !known.includes(one))}; ${known.filter((one) => !defined.includes(one))}`, defined.join() === known.join());
        }
        if (page.endsWith("/layers.html")) {
            check(page, "terms lead to the glossary", inside.querySelectorAll("a.term").length > 5);
        }
        frame.style.width = USUAL;
        const arrows = [...inside.querySelectorAll(".nav-wide-wrapper .nav-chapters")].map((one) => one.getBoundingClientRect());
        const text = [...inside.querySelectorAll("main > *, main td, main .rec-view")].map((one) => one.getBoundingClientRect());
        check(page, "an arrow lies on text", arrows.every((one) => one.width === 0 || text.every((other) => other.right <= one.left || other.left >= one.right)));
        frame.style.width = WIDE;
        if (inside.querySelector(".recording")) {
            await wait(() => inside.querySelector(".rec-item"));
            await use(page, frame);
        }
        frame.remove();
        await onATelephone(page);
        await onATablet(page);
    }
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = [...lines, `done ${checks}`].join("\n");
    document.body.append(result);
})();
