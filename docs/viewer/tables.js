// Lets long names break between their parts, and gives each cell of a table what narrow screens need, where a row is a block (docs/site.css): the heading of its
// column, which stands in front of it, and a class if it is short enough to share a line.
"use strict";
(function () {
    // Letters of a name, or of its part, that stays whole where it has a line or a cell for itself, and in a cell with other words; of a cell that shares a line.
    const LINE = 28;
    const CELL = 20;
    const SHORT = 28;

    // A name that is too long breaks behind `::` and `/`. A part that still is breaks behind `_` and `=`, or before the capital of a word where it has neither.
    function between(name, whole) {
        if (name.length <= whole) {
            return [name];
        }
        return name.split(/(?<=::|\/)(?=[^:/])/).flatMap((part) => {
            const words = part.length > whole ? part.split(/(?<=[_=])(?=[^_=])/) : [part];
            return words.flatMap((word) => (word.length > LINE ? word.split(/(?<=[a-z])(?=[A-Z])/) : [word]));
        });
    }

    function breakable(code, whole) {
        for (const text of [...code.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
            // The words of a command line are names of their own.
            const parts = text.data.split(/(?<=\s)/).flatMap((word) => between(word, whole));
            text.replaceWith(...parts.flatMap((part, index) => (index ? [document.createElement("wbr"), part] : [part])));
        }
    }

    for (const code of document.querySelectorAll("main :not(pre) > code")) {
        const cell = code.closest("td, th");
        if (cell) {
            breakable(code, cell.textContent === code.textContent ? LINE : CELL);
        } else if (code.textContent.length > LINE) {
            breakable(code, LINE);
        }
    }
    for (const table of document.querySelectorAll("main .table-wrapper > table")) {
        const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
        for (const row of table.tBodies[0] ? table.tBodies[0].rows : []) {
            [...row.cells].forEach((cell, index) => {
                if (heads[index]) {
                    cell.dataset.label = heads[index];
                }
                cell.classList.toggle("short", cell.textContent.length <= SHORT);
            });
        }
    }
})();
