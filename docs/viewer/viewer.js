// Shows recordings. A page has <div class="recording" data-recording="launch" data-stacks="trixie forky experimental"></div>, with data-tools one that
// also shows which of the events a tool sees; the files
// recordings/NAME.STACK.js, which `cargo xtask record` makes, are loaded when they are looked at. Each calls
// recording(name, stack, { versions, command, output, threads, layers, events, flows }):
//   events  in order of their beginning: { l: layer, n: name, t: ns, d: ns it took, th: thread, a: [[name, value]], r: result,
//           s: "file:line", m: text of the log, p: bytes of a packet in hexadecimal, k: how often it was repeated }
//   flows   lists of indices of events: the way of one piece of work through the layers
// An event's number is its index plus 1. #e=12 opens it, #e=hipMalloc the first whose name begins with that word, #e=hipMalloc.2 the second; &v=forky chooses the
// version, &c=trixie the one to compare with and &t=strace the tool.
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
    const loaded = {};
    const waiting = {};

    window.recording = function (name, stack, data) {
        loaded[`${name}.${stack}`] = data;
        prepare(data);
        (waiting[`${name}.${stack}`] || []).forEach((done) => done(data));
    };

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

    // Numbers, places by order, lanes, flows: what is computed once.
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
        data.lanes = {};
        for (const event of data.events) {
            const lanes = data.lanes[event.l] = data.lanes[event.l] || [];
            let lane = lanes.findIndex((end) => end < event.from);
            if (lane < 0) {
                lane = lanes.length;
            }
            lanes[lane] = event.to;
            event.lane = lane;
        }
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

    // One recording: its time line, list and opened event. `other` is the recording to compare with.
    class View {
        constructor(data, other, opened) {
            this.data = data;
            this.opened = opened;
            this.root = element("div", "rec-view");
            this.line = element("div", "rec-line");
            this.list = element("ol", "rec-list");
            this.event = element("section", "rec-event");
            this.list.setAttribute("aria-label", "Events in order");
            this.event.setAttribute("aria-live", "polite");
            const parts = element("div", "rec-parts");
            parts.append(this.list, this.event);
            this.root.append(this.line, parts);
            this.boxes = [];
            this.items = [];
            this.drawLine(other);
            this.drawList(other);
        }

        drawLine(other) {
            const step = 13;
            const rows = element("div", "rec-rows");
            this.line.tabIndex = -1;
            rows.style.width = `${(2 * this.data.events.length + 2) * step}px`;
            for (const layer of this.data.layers) {
                const row = element("div", `rec-row layer-${layer}`);
                const name = element("span", "rec-name", layerNames[layer]);
                name.title = layerTitles[layer];
                row.style.height = `${23 + 20 * (this.data.lanes[layer] || [0]).length}px`;
                row.append(name);
                this.data.events.forEach((event, index) => {
                    if (event.l !== layer) {
                        return;
                    }
                    const box = element("button", "rec-box");
                    box.append(element("span", "", event.to - event.from > 2 ? event.n : ""));
                    box.type = "button";
                    box.tabIndex = -1;
                    box.title = summary(event);
                    box.style.left = `${event.from * step + 2}px`;
                    box.style.width = `${(event.to - event.from) * step - 1}px`;
                    box.style.top = `${20 + 20 * event.lane}px`;
                    box.classList.toggle("alone", other !== undefined && !other.names.has(kind(event)));
                    box.onclick = () => this.opened(event);
                    this.boxes[index] = box;
                    row.append(box);
                });
                rows.append(row);
            }
            this.flow = document.createElementNS("http://www.w3.org/2000/svg", "svg");
            this.flow.setAttribute("class", "rec-flow");
            this.flow.setAttribute("aria-hidden", "true");
            rows.append(this.flow);
            this.line.append(rows);
        }

        drawList(other) {
            const start = this.data.events.length ? this.data.events[0].t : 0;
            this.data.events.forEach((event, index) => {
                const item = element("button", `rec-item layer-${event.l}`);
                item.type = "button";
                item.tabIndex = -1;
                item.classList.toggle("alone", other !== undefined && !other.names.has(kind(event)));
                item.append(element("span", "rec-time", duration(event.t - start)), element("span", "rec-tag", layerNames[event.l]));
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
            const [box, item] = [this.boxes[chosen], this.items[chosen]];
            this.line.scrollLeft = box.offsetLeft - this.line.clientWidth / 2;
            this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
            if (focus) {
                item.focus({ preventScroll: true });
            }
            this.chosen = event;
            this.drawFlow(flow);
            this.drawEvent(event);
        }

        // Fades what a tool does not see, and gives the number of events that it sees.
        fade(sees) {
            const unseen = this.data.events.map((event) => !sees(event));
            for (const made of [this.boxes, this.items]) {
                made.forEach((box, index) => box.classList.toggle("unseen", unseen[index]));
            }
            return unseen.filter((one) => !one).length;
        }

        drawFlow(flow) {
            this.flow.replaceChildren();
            const place = (index) => {
                const box = this.boxes[index];
                return [box.offsetLeft + 6, box.parentElement.offsetTop + box.offsetTop + 9];
            };
            for (let i = 1; i < flow.length; i++) {
                const [[x, y], [toX, toY]] = [place(flow[i - 1]), place(flow[i])];
                const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
                path.setAttribute("d", `M${x} ${y} C${x} ${(y + toY) / 2}, ${toX} ${(y + toY) / 2}, ${toX} ${toY}`);
                this.flow.append(path);
            }
        }

        drawEvent(event) {
            const shown = this.event;
            shown.replaceChildren();
            const thread = this.data.threads[event.th] || "";
            const place = `${event.id} of ${this.data.events.length}: ${layerTitles[event.l]}; thread ${thread}` +
                (event.d ? `; took ${duration(event.d)}` : "") + (event.k ? `; ${event.k} times` : "") + (event.s ? `; logged at ${event.s}` : "");
            shown.append(element("h3", "", event.n), element("p", "", place));
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
                shown.append(element("p", "", "The way of this piece of work:"));
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
        const stacks = root.dataset.stacks.split(" ");
        const bar = element("div", "rec-bar");
        const body = element("div");
        root.append(bar, body);
        const version = chooser("version", stacks, (v) => ({ v, c: beside.value, e: "" }));
        const beside = chooser("compare with", ["", ...stacks], (c) => ({ c, e: "" }));
        const tools = root.dataset.tools === undefined ? undefined : window.toolsSee;
        const tool = tools && chooser("as seen by", Object.keys(tools), (t) => ({ t }));
        const sight = element("span", "rec-sight");
        sight.setAttribute("role", "status");
        bar.append(sight, element("span", "rec-keys", "keys: left and right: events; up and down: layers; f: along the flow"));
        let views = [];
        let shown = "";

        // A choice in the bar, which changes the address by `change`.
        function chooser(text, values, change) {
            const label = element("label", "", `${text} `);
            const select = element("select");
            values.forEach((value) => select.append(new Option(value || "nothing", value)));
            select.onchange = () => go(change(select.value));
            label.append(select);
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
            const { v = stacks[0], c = "", e = "", t = "" } = fromAddress();
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
                // Without an address, one whose way is drawn.
                const { events } = views[0].data;
                const event = views[0].find(e) || events.find((one) => one.flow) || events[0];
                if (event) {
                    views[0].choose(event, focus);
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
            text.append(element("p", "", `${stack}: ${versions}. Recorded: ${data.command}`));
            if (data.output) {
                text.append(element("p", "", "What the program wrote:"), element("pre", "rec-output", data.output));
            }
            return text;
        }

        function opened(event, focus) {
            history.replaceState(null, "", `#${new URLSearchParams({ ...fromAddress(), e: event.id })}`);
            show(focus);
        }

        root.addEventListener("keydown", (key) => {
            const view = views[0];
            if (!view || !view.chosen || key.target.tagName === "SELECT" || key.ctrlKey || key.altKey || key.metaKey) {
                return;
            }
            const to = next(view, key.key);
            if (to) {
                // mdBook would turn the page.
                key.stopPropagation();
                key.preventDefault();
                opened(to, true);
            }
        });
        // By a link of the text below, from where what it opens may not be in sight.
        window.addEventListener("hashchange", () => {
            show();
            root.scrollIntoView();
        });
        show();
    }

    // The event that a key leads to.
    function next(view, key) {
        const { events, layers } = view.data;
        const at = view.chosen.id - 1;
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
                return flow && events[flow[(flow.indexOf(at) + 1) % flow.length]];
            }
        }
    }

    document.querySelectorAll(".recording").forEach(start);
})();
