// `cargo xtask docs --check` loads this into a page of its own, beside the site, in a browser: opens each page of the site in a frame and uses it as a
// reader would. `pages` is the list. What is wrong is left in the document, a line each, then "done" with the number of checks.
"use strict";
(async function () {
    const WIDE = "1200px";
    const NARROW = "360px";
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

    function open(page) {
        return new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.style.width = WIDE;
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
        const [version, beside, tool] = all(".rec-bar select");
        const change = async (select, value, done) => {
            select.value = value;
            select.dispatchEvent(new frame.contentWindow.Event("change"));
            return wait(done);
        };

        for (const stack of [...version.options].map((option) => option.value)) {
            const name = `${page} (${stack})`;
            const shown = await change(version, stack, () => inside.body.textContent.includes(`${stack}: HIP`) && all(".rec-item").length);
            check(name, "shows no events", shown);
            check(name, "has as many boxes as events", all(".rec-box").length === all(".rec-item").length);
            check(name, "has no event opened", all(".rec-event h3").length === 1);
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

    for (const page of pages) {
        const frame = await open(page);
        const inside = frame.contentDocument;
        check(page, "has no heading", inside.querySelector("main h1"));
        frame.style.width = NARROW;
        check(page, "is too wide for a telephone", inside.documentElement.scrollWidth <= parseInt(NARROW));
        frame.style.width = WIDE;
        if (inside.querySelector(".recording")) {
            await wait(() => inside.querySelector(".rec-item"));
            await use(page, frame);
        }
        frame.remove();
    }
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = [...lines, `done ${checks}`].join("\n");
    document.body.append(result);
})();
