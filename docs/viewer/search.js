// A query's names are taken apart as the pages' names are in the index (xtask/src/docs/search.rs): `VirtualGPU::submitKernel(...)` of a backtrace is searched by
// its parts too.
"use strict";
(function () {
    const { elasticlunr } = window;
    if (!elasticlunr) {
        return;
    }
    const words = elasticlunr.tokenizer;
    elasticlunr.tokenizer = function (text) {
        return words(text).flatMap((word) => {
            const parts = word.split(/[^\w.]+/).filter((part) => part.length > 1);
            return parts.length > 1 ? [word, ...parts] : [word];
        });
    };
    Object.assign(elasticlunr.tokenizer, words);
})();
