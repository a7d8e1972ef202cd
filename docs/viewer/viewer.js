// Shows recordings. A page has <div class="recording" data-recording="launch" data-stacks="trixie forky experimental"></div>, with data-tools one that
// also shows which of the events a tool sees; the files
// recordings/NAME.STACK.js, which `cargo xtask record` makes, are loaded when they are looked at. Each calls
// recording(name, stack, { versions, command, output, threads, layers, events, flows }):
//   events  in order of their beginning: { l: layer, n: name, t: ns, d: ns it took, th: thread, a: [[name, value]], r: result,
//           s: "file:line", m: text of the log, p: bytes of a packet in hexadecimal, k: how often it was repeated }
//   flows   lists of indices of events: the way of one piece of work through the layers
// An event's number is its index plus 1. #e=12 opens it, #e=hipMalloc the first whose name begins with that word, #e=hipMalloc.2 the second; &v=forky chooses the
// version, &c=trixie the one to compare with, &t=strace the tool, &l=hip,hsa the layers and &q=text what names and arguments have to contain.
// The page's numbered steps, and its paragraphs that link to events, are shown above the time line, one at a time.
"use strict";
(function () {
    const layerNames = { hip: "HIP", opencl: "OpenCL", runtime: "ROCclr", hsa: "ROCr", driver: "driver", queue: "queue", gpu: "GPU" };
    const layerTitles = {
        hip: "calls of HIP's functions",
        opencl: "calls of OpenCL's functions",
        runtime: "what ROCclr, the runtime below HIP and OpenCL, logs",
        hsa: "calls of HSA's functions (ROCr)",
        driver: "requests to the kernel driver",
        queue: "packets and doorbells: memory that program and GPU share",
        gpu: "what the GPU does",
    };
    // The page that explains a layer's events.
    const explained = {
        hip: "stack/hip.html", opencl: "stack/opencl.html", runtime: "stack/rocclr.html", hsa: "stack/rocr.html",
        driver: "stack/driver.html", queue: "stack/hardware.html", gpu: "stack/hardware.html",
    };
    const loaded = window.loadedRecordings = {};
    const waiting = {};

    // A page that has its recording in it (`rocm-trace view`) gives it before this script runs, and lies beside no pages of the site.
    const given = window.recordings || [];
    const alone = given.length > 0;

    window.recording = function (name, stack, data) {
        loaded[`${name}.${stack}`] = data;
        Object.assign(data, { name, stack });
        prepare(data);
        (waiting[`${name}.${stack}`] || []).forEach((done) => done(data));
    };

    given.forEach((one) => window.recording(...one));

    function load(name, stack, done, failed) {
        const key = `${name}.${stack}`;
        if (loaded[key]) {
            done(loaded[key]);
            return;
        }
        if (waiting[key]) {
            waiting[key].push(done);
            return;
        }
        waiting[key] = [done];
        const script = document.createElement("script");
        // mdBook's own: from this page to the site's first folder.
        script.src = `${path_to_root}recordings/${key}.js`;
        script.onerror = failed;
        document.head.append(script);
    }

    // Numbers, places by order, flows: what is computed once.
    function prepare(data) {
        const edges = [];
        const counts = {};
        data.events.forEach((event, index) => {
            event.id = index + 1;
            // "kernel_dispatch" of "kernel_dispatch _Z3addPff".
            event.word = event.n.split(" ")[0];
            counts[event.word] = (counts[event.word] || 0) + 1;
            event.nth = counts[event.word];
            event.end = event.t + (event.d || 0);
            // Sizes of a grid or a work-group.
            event.a = (event.a || []).map(([name, value]) => [name, value.replace(/^\{"x":(\d+),"y":(\d+),"z":(\d+)\}$/, "$1, $2, $3")]);
            event.flow = data.flows.find((flow) => flow.includes(index));
            edges.push([event.t, 0, index, "from"], [event.end, event.d === undefined ? 0.5 : 1, -index, "to"]);
        });
        // Each beginning and each end is a step to the right, whatever time is between them.
        edges.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
        edges.forEach(([, , index, side], place) => { data.events[Math.abs(index)][side] = place; });
        data.names = new Set(data.events.map(kind));
    }

    // What makes an event the same in another version: not the line of the source.
    function kind(event) {
        return `${event.l} ${event.n.replace(/:\d+$/, "")}`;
    }

    function element(tag, className, text) {
        const made = document.createElement(tag);
        if (className) {
            made.className = className;
        }
        if (text !== undefined) {
            made.textContent = text;
        }
        return made;
    }

    function duration(ns) {
        for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]]) {
            if (ns >= size) {
                return `${(ns / size).toPrecision(3)} ${unit}`;
            }
        }
        return `${ns} ns`;
    }

    function summary(event) {
        const shown = event.a.slice(0, 4).map(([name, value]) => `${name} ${value}`).join(", ");
        return event.n + (event.m ? `: ${event.m}` : shown ? ` (${shown})` : "") + (event.r ? ` = ${event.r}` : "") +
            (event.k ? ` ${event.k} times` : "");
    }

    const names = { layer: (layer) => layerNames[layer], title: (layer) => layerTitles[layer], summary };

    // One recording: its time line, list and opened event. `other` is the recording to compare with.
    class View {
        constructor(data, other, opened) {
            this.data = data;
            this.opened = opened;
            this.root = element("div", "rec-view");
            this.line = new window.TimeLine(data, names, opened);
            this.boxes = this.line.boxes;
            this.list = element("ol", "rec-list");
            this.event = element("section", "rec-event");
            this.list.setAttribute("aria-label", "Events in order");
            this.event.setAttribute("aria-live", "polite");
            const parts = element("div", "rec-parts");
            parts.append(this.list, this.event);
            this.root.append(this.zoomBar(), this.line.root, parts);
            this.items = [];
            this.drawList(other);
            this.data.events.forEach((event, index) => this.boxes[index].classList.toggle("alone", other !== undefined && !other.names.has(kind(event))));
        }

        zoomBar() {
            const bar = element("div", "rec-bar rec-zoom");
            const add = (text, title, done) => {
                const button = element("button", "", text);
                button.type = "button";
                button.title = title;
                button.onclick = done;
                bar.append(button);
            };
            add("\u2212", "zoom out (key -, or Ctrl and the wheel)", () => this.line.zoom(1 / 1.6));
            add("+", "zoom in (key +, or Ctrl and the wheel)", () => this.line.zoom(1.6));
            add("whole", "the whole recording (key 0)", () => this.line.fitAll());
            add("this work", "the events of the flow that is drawn (key 9)", () => this.fit());
            const label = element("label", "", "axis ");
            const axis = element("select");
            [["time", "time"], ["steps", "steps in order"]].forEach(([value, text]) => axis.append(new Option(text, value)));
            axis.onchange = () => {
                this.line.setAxis(axis.value);
                this.fit();
            };
            label.append(axis);
            const file = element("a", "rec-perfetto", "Perfetto file");
            file.title = "this recording for ui.perfetto.dev";
            file.href = "#";
            file.download = `${this.data.name}.${this.data.stack}.pftrace`;
            file.onclick = () => {
                file.href = URL.createObjectURL(new Blob([window.perfettoFile(this.data)]));
            };
            bar.append(label, file);
            return bar;
        }

        // What is to be seen first: the flow of the opened event, or its neighbours.
        fit() {
            const { events } = this.data;
            const at = this.chosen.id - 1;
            const { flow } = this.chosen;
            this.line.fitEvents(flow ? flow.map((index) => events[index]) : events.slice(Math.max(0, at - 6), at + 7));
        }

        // Leaves out what the layers and the text do not let through, and gives the number of events that are left.
        filter(layers, text) {
            const words = text.toLowerCase();
            const shown = (event) => layers.includes(event.l) && (!words || this.texts[event.id - 1].includes(words));
            this.texts = this.texts || this.data.events.map((event) => [summary(event), event.s, ...event.a.flat()].join(" ").toLowerCase());
            this.items.forEach((item, index) => { item.parentElement.hidden = !shown(this.data.events[index]); });
            this.shown = shown;
            this.line.filter(shown);
            return this.data.events.filter(shown).length;
        }

        drawList(other) {
            const start = this.data.events.length ? this.data.events[0].t : 0;
            this.data.events.forEach((event, index) => {
                const item = element("button", `rec-item layer-${event.l}`);
                item.type = "button";
                item.tabIndex = -1;
                item.classList.toggle("alone", other !== undefined && !other.names.has(kind(event)));
                item.append(element("span", "rec-time", duration(event.t - start)), element("span", "rec-tag", layerNames[event.l]));
                if (event.l !== "gpu") {
                    const thread = element("span", "rec-thread", this.data.threads[event.th]);
                    thread.title = "thread";
                    item.append(thread);
                }
                item.append(element("span", "rec-what", summary(event)));
                item.onclick = () => this.opened(event);
                this.items[index] = item;
                const entry = element("li");
                entry.append(item);
                this.list.append(entry);
            });
        }

        find(name) {
            if (/^\d+$/.test(name)) {
                return this.data.events[Number(name) - 1];
            }
            const [, what, nth] = name.match(/^(.*?)(?:\.(\d+))?$/);
            return this.data.events.find((event) => event.word === what && event.nth === Number(nth || 1));
        }

        choose(event, focus) {
            const chosen = event.id - 1;
            const flow = event.flow || [];
            for (const made of [this.boxes, this.items]) {
                made.forEach((box, index) => {
                    box.classList.toggle("chosen", index === chosen);
                    box.classList.toggle("in-flow", flow.includes(index));
                });
            }
            this.items.forEach((item, index) => {
                item.tabIndex = index === chosen ? 0 : -1;
                item.toggleAttribute("aria-current", index === chosen);
            });
            const item = this.items[chosen];
            this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
            if (focus) {
                item.focus({ preventScroll: true });
            }
            const first = this.chosen === undefined;
            this.chosen = event;
            this.line.setFlow(flow);
            this.drawEvent(event);
            if (first) {
                this.fit();
            }
            this.line.reveal(event);
        }

        // Fades what a tool does not see, and gives the number of events that it sees.
        fade(sees) {
            const unseen = this.data.events.map((event) => !sees(event));
            for (const made of [this.boxes, this.items]) {
                made.forEach((box, index) => box.classList.toggle("unseen", unseen[index]));
            }
            return unseen.filter((one) => !one).length;
        }

        drawEvent(event) {
            const shown = this.event;
            shown.replaceChildren();
            const thread = this.data.threads[event.th] || "";
            const place = `${event.id} of ${this.data.events.length}: ${layerTitles[event.l]}; thread ${thread}` +
                (event.d ? `; took ${duration(event.d)}` : "") + (event.k ? `; ${event.k} times` : "") + (event.s ? `; logged at ${event.s}` : "");
            const links = element("p", "rec-links");
            const link = element("a", "", "link to this event");
            link.href = `#${new URLSearchParams({ v: this.data.stack, e: event.id })}`;
            const page = element("a", "rec-explained", `explained: ${layerNames[event.l]}`);
            // Browsers that know text fragments go to the name.
            page.href = alone ? "" : `${path_to_root}${explained[event.l]}#:~:text=${encodeURIComponent(event.word)}`;
            links.append(link, ...(alone ? [] : [page]));
            shown.append(element("h3", "", event.n), element("p", "", place), links);
            if (event.m) {
                const text = element("p");
                text.append(element("code", "", event.m));
                shown.append(text);
            }
            if (event.a.length) {
                const rows = event.a.map(([name, value]) => [name, value, window.meaningOf(event, name, value)]);
                const fields = table(["field", "value", "meaning"], rows);
                fields.classList.add("rec-fields");
                shown.append(fields);
            }
            if (event.r) {
                const result = element("p", "", "result: ");
                result.append(element("code", "", event.r));
                shown.append(result);
            }
            if (event.p) {
                this.drawPacket(event.p);
            }
            if (event.flow) {
                shown.append(element("p", "", "The events of this piece of work:"));
                const hops = element("div", "rec-hops");
                for (const index of event.flow) {
                    const hop = element("button", `layer-${this.data.events[index].l}`, this.data.events[index].n);
                    hop.type = "button";
                    hop.toggleAttribute("aria-current", index === event.id - 1);
                    hop.onclick = () => this.opened(this.data.events[index]);
                    hops.append(hop);
                }
                shown.append(hops);
            }
        }

        drawPacket(hex) {
            const bytes = element("div", "rec-bytes");
            const fields = window.decodePacket(hex);
            const rows = table(["bytes", "field", "value", "meaning"], fields.map((field) =>
                [`${field.offset} to ${field.offset + field.size - 1}`, field.name, field.text, field.meaning]));
            fields.forEach((field, index) => {
                const button = element("button", "", hex.slice(2 * field.offset, 2 * (field.offset + field.size)));
                button.type = "button";
                button.title = field.name;
                button.onclick = () => {
                    bytes.querySelectorAll("button").forEach((other, at) => other.classList.toggle("chosen", at === index));
                    rows.querySelectorAll("tbody tr").forEach((row, at) => row.classList.toggle("chosen", at === index));
                };
                bytes.append(button);
            });
            rows.classList.add("rec-packet");
            this.event.append(bytes, rows);
        }
    }

    function table(heads, rows) {
        const made = element("table");
        const head = made.createTHead().insertRow();
        heads.forEach((text) => head.append(element("th", "", text)));
        const body = made.createTBody();
        for (const row of rows) {
            const line = body.insertRow();
            heads.forEach((_, index) => {
                const text = row[index] === undefined ? "" : row[index];
                line.insertCell().append(index && text ? element(index < heads.length - 1 ? "code" : "span", "", text) : text);
            });
        }
        return made;
    }

    // What is to be shown, from and to the address.
    function fromAddress() {
        return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    }

    function start(root) {
        const name = root.dataset.recording;
        // The page has the oldest first.
        const stacks = root.dataset.stacks.split(" ").reverse();
        const steps = stepsOf(root);
        const bar = element("div", "rec-bar");
        const body = element("div");
        root.append(bar, body);
        const version = chooser("version", stacks, (v) => ({ v, c: beside.value, e: "" }));
        const beside = chooser("compare with", ["", ...stacks], (c) => ({ c, e: "" }));
        const tools = root.dataset.tools === undefined ? undefined : window.toolsSee;
        const tool = tools && chooser("as seen by", Object.keys(tools), (t) => ({ t }));
        const sight = element("span", "rec-sight");
        sight.setAttribute("role", "status");
        const filters = element("div", "rec-bar rec-filters");
        const search = element("input");
        search.type = "search";
        search.placeholder = "only events with";
        search.setAttribute("aria-label", "only events whose name or arguments contain");
        search.oninput = () => go({ q: search.value });
        const left = element("span", "rec-left");
        left.setAttribute("role", "status");
        const keys = element("p", "rec-keys", "Keys: left and right: events; f: along the flow; n and p: steps of the text; + and \u2212: zoom; 0: the whole. " +
            "After a click also up and down: layers; Home and End.");
        const prose = element("div", "rec-step");
        const legend = element("span", "rec-legend");
        filters.append(legend, search, left);
        bar.append(sight);
        body.before(filters, prose);
        root.append(keys);
        let step = -1;
        let views = [];
        let shown = "";

        // A choice in the bar, which changes the address by `change`.
        function chooser(text, values, change) {
            const label = element("label", "", `${text} `);
            const select = element("select");
            values.forEach((value) => select.append(new Option(value || "nothing", value)));
            select.onchange = () => go(change(select.value));
            label.append(select);
            // A page that is alone has one recording.
            label.hidden = alone;
            bar.append(label);
            return select;
        }

        function go(change) {
            const next = { ...fromAddress(), ...change };
            const words = Object.entries(next).filter(([, value]) => value).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
            history.replaceState(null, "", `#${words.join("&")}`);
            show();
        }

        function show(focus) {
            const { v = stacks[0], c = "", e = "", t = "", l = "", q = "" } = fromAddress();
            const stack = stacks.includes(v) ? v : stacks[0];
            const other = stacks.includes(c) && c !== stack ? c : "";
            version.value = stack;
            beside.value = other;
            const open = () => {
                if (tool) {
                    tool.value = Object.hasOwn(tools, t) ? t : Object.keys(tools)[0];
                    const [seen] = views.map((view) => view.fade(tools[tool.value]));
                    sight.textContent = `${seen} of ${views[0].data.events.length} events`;
                }
                filter(l, q);
                // Without an address, one whose way is drawn.
                const { events } = views[0].data;
                const event = views[0].find(e) || events.find((one) => one.flow) || events[0];
                if (event) {
                    views[0].choose(event, focus);
                    showStep(event);
                    const [, second] = views;
                    if (second) {
                        const twin = second.data.events.find((one) => one.word === event.word && one.l === event.l && one.nth === event.nth);
                        second.choose(twin || second.chosen || second.data.events[0]);
                    }
                }
            };
            if (shown === `${stack} ${other}`) {
                open();
                return;
            }
            const failed = () => body.replaceChildren(element("p", "rec-message", `There is no recording of ${name} for this version.`));
            const draw = (data, otherData) => {
                shown = `${stack} ${other}`;
                views = [new View(data, otherData, (event) => opened(event, true))];
                body.replaceChildren(column(stack, data, views[0]));
                body.classList.toggle("rec-two", otherData !== undefined);
                if (otherData) {
                    views.push(new View(otherData, data, (event) => views[1].choose(event)));
                    body.append(column(other, otherData, views[1]));
                }
                open();
            };
            load(name, stack, (data) => other ? load(name, other, (second) => draw(data, second), failed) : draw(data), failed);
        }

        function column(stack, data, view) {
            const made = element("div");
            made.append(heading(stack, data), view.root);
            return made;
        }

        function heading(stack, data) {
            const versions = Object.entries(data.versions).map(([what, value]) => `${what} ${value}`).join(", ");
            const text = element("div");
            text.append(element("p", "", alone ? data.command : `${stack}: ${versions}. Recorded: ${data.command}`));
            if (data.output) {
                text.append(element("p", "", "What the program wrote:"), element("pre", "rec-output", data.output));
            }
            return text;
        }

        // The layers as a legend that chooses, and the text.
        function filter(l, q) {
            const { layers } = views[0].data;
            const chosen = l ? layers.filter((layer) => l.split(",").includes(layer)) : layers;
            if (legend.dataset.layers !== layers.join()) {
                legend.dataset.layers = layers.join();
                legend.replaceChildren(...layers.map(layerChoice));
            }
            layers.forEach((layer, index) => { legend.children[index].firstChild.checked = chosen.includes(layer); });
            if (search.value !== q) {
                search.value = q;
            }
            const [shown] = views.map((view) => view.filter(chosen, q));
            const all = views[0].data.events.length;
            left.textContent = shown === all ? `${all} events` : `${shown} of ${all} events`;
        }

        function layerChoice(layer, _, layers) {
            const label = element("label", `rec-layer layer-${layer}`);
            const box = element("input");
            box.type = "checkbox";
            box.onchange = () => {
                const next = layers.filter((_, index) => legend.children[index].firstChild.checked);
                go({ l: next.length === layers.length ? "" : next.join(",") || "none" });
            };
            label.title = layerTitles[layer];
            label.append(box, layerNames[layer]);
            return label;
        }

        // The step of the text that links to the opened event, else the one before stays.
        function showStep(event) {
            const linked = steps.findIndex((one) => one.links.some((link) => views[0].find(link) === event));
            step = linked < 0 || (step >= 0 && steps[step].links.some((link) => views[0].find(link) === event)) ? step : linked;
            drawStep();
        }

        function drawStep() {
            prose.hidden = steps.length === 0;
            if (!steps.length) {
                return;
            }
            const head = element("div", "rec-bar");
            const add = (text, title, to) => {
                const button = element("button", "", text);
                button.type = "button";
                button.title = title;
                button.disabled = to < 0 || to >= steps.length;
                button.onclick = () => toStep(to);
                head.append(button);
            };
            add("\u2039", "the step before (key p)", step - 1);
            head.append(element("span", "", step < 0 ? `${steps.length} steps` : `step ${step + 1} of ${steps.length}`));
            add("\u203a", "the next step (key n)", step + 1);
            const text = element("div", "rec-text");
            if (step >= 0) {
                text.append(...[...steps[step].item.childNodes].map((node) => node.cloneNode(true)));
            } else {
                text.textContent = "Step through the text with the recording.";
            }
            prose.replaceChildren(head, text);
        }

        function toStep(to) {
            if (to < 0 || to >= steps.length) {
                return;
            }
            step = to;
            const [link] = steps[to].links;
            const event = link && views[0].find(link);
            if (event) {
                opened(event);
            } else {
                drawStep();
            }
        }

        function opened(event, focus) {
            const { v, ...rest } = fromAddress();
            history.replaceState(history.state, "", `#${new URLSearchParams({ ...(v ? { v } : {}), ...rest, e: event.id })}`);
            show(focus);
        }

        // Before a click only keys that scroll nothing; mdBook would turn the page.
        document.addEventListener("keydown", (key) => {
            const view = views[0];
            if (!view || !view.chosen || key.ctrlKey || key.altKey || key.metaKey || key.target.closest("select, input, textarea")) {
                return;
            }
            const inside = root.contains(key.target);
            const acts = {
                "+": () => view.line.zoom(1.6), "-": () => view.line.zoom(1 / 1.6), "0": () => view.line.fitAll(), "9": () => view.fit(),
                n: () => toStep(step + 1), p: () => toStep(step - 1),
            };
            const to = inside || !["ArrowUp", "ArrowDown", "Home", "End"].includes(key.key) ? next(view, key.key) : undefined;
            if (to) {
                opened(to, inside);
            } else if (acts[key.key]) {
                acts[key.key]();
            } else {
                return;
            }
            key.stopPropagation();
            key.preventDefault();
            const { top, bottom } = root.getBoundingClientRect();
            if (bottom < 0 || top > innerHeight) {
                root.scrollIntoView();
            }
        }, true);

        // A link of the text opens its event in the version that is shown; Back returns to where the link is.
        document.addEventListener("click", (click) => {
            const link = click.target.closest("a");
            const address = link && link.getAttribute("href");
            if (!address || !/^#([a-z]=|.*&e=)/.test(address) || !link.closest("main") || click.ctrlKey || click.metaKey || click.shiftKey) {
                return;
            }
            click.preventDefault();
            history.replaceState({ ...history.state, y: scrollY }, "");
            const words = new URLSearchParams({ ...fromAddress(), ...Object.fromEntries(new URLSearchParams(address.slice(1))) });
            history.pushState(null, "", `#${words}`);
            const of = steps.findIndex((one) => one.item.contains(link));
            step = of < 0 ? step : of;
            show();
            root.scrollIntoView();
        });
        window.addEventListener("popstate", (moved) => {
            show();
            if (moved.state && moved.state.y !== undefined) {
                scrollTo(0, moved.state.y);
            }
        });
        new ResizeObserver(() => views.forEach((view) => view.line.layOut())).observe(root);
        show();
        if (fromAddress().e) {
            root.scrollIntoView();
        }
    }

    // The page's steps with the events that they link to: items of numbered lists, and paragraphs with such links.
    function stepsOf(root) {
        const links = (item) => [...item.querySelectorAll('a[href^="#e="]')].map((link) => decodeURIComponent(link.getAttribute("href").slice(3)));
        const numbered = (item) => item.matches("li") && links(item.parentElement).length > 0;
        const items = [...root.parentElement.querySelectorAll("main > ol > li, main > p")];
        return items.filter((item) => numbered(item) || links(item).length).map((item) => ({ item, links: links(item) }));
    }

    // The event that a key leads to.
    function next(view, key) {
        const { layers } = view.data;
        const events = view.data.events.filter((event) => view.shown(event) || event === view.chosen);
        const at = events.indexOf(view.chosen);
        const layer = layers.indexOf(view.chosen.l);
        const nearest = (in_layer) => events.filter((event) => event.l === in_layer)
            .sort((a, b) => Math.abs(a.from - view.chosen.from) - Math.abs(b.from - view.chosen.from))[0];
        const rows = (order) => order.map(nearest).find((event) => event);
        switch (key) {
            case "ArrowRight": return events[Math.min(at + 1, events.length - 1)];
            case "ArrowLeft": return events[Math.max(at - 1, 0)];
            case "Home": return events[0];
            case "End": return events[events.length - 1];
            case "ArrowDown": return rows(layers.slice(layer + 1)) || view.chosen;
            case "ArrowUp": return rows(layers.slice(0, layer).reverse()) || view.chosen;
            case "f": {
                const flow = view.chosen.flow;
                return flow && view.data.events[flow[(flow.indexOf(view.chosen.id - 1) + 1) % flow.length]];
            }
        }
    }

    document.querySelectorAll(".recording").forEach(start);
})();
