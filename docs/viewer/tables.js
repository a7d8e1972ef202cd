// Gives each cell of a table the heading of its column, which narrow screens show in front of it (docs/site.css), and lets long names break between their parts.
"use strict";
(function () {
    // `VirtualGPU::submitKernel` behind the colons, `hsa_amd_memory_pool_allocate` behind each underscore.
    function breakable(code) {
        for (const text of [...code.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
            const parts = text.data.split(/(?<=::|_|\/)(?=[^:_\/])/);
            text.replaceWith(...parts.flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part])));
        }
    }

    for (const table of document.querySelectorAll("main .table-wrapper > table")) {
        const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
        for (const row of table.tBodies[0] ? table.tBodies[0].rows : []) {
            [...row.cells].forEach((cell, index) => {
                if (heads[index]) {
                    cell.dataset.label = heads[index];
                }
                cell.querySelectorAll("code").forEach(breakable);
            });
        }
    }
})();
