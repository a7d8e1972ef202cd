// Gives each cell of a table the heading of its column, which narrow screens show in front of it (docs/site.css).
"use strict";
(function () {
    for (const table of document.querySelectorAll("main .table-wrapper > table")) {
        const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
        for (const row of table.tBodies[0] ? table.tBodies[0].rows : []) {
            [...row.cells].forEach((cell, index) => {
                if (heads[index]) {
                    cell.dataset.label = heads[index];
                }
            });
        }
    }
})();
