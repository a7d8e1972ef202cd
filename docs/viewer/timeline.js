// The time line of a recording: a row for each layer and thread, on an axis of time that is zoomed (buttons, keys, Ctrl and the wheel) and dragged.
// A box has its name inside or, where it is too narrow, behind it; boxes move to further lanes so that names have room, and a name that still has none is
// left out, not cut off.
"use strict";
(function () {
    const LANE = 20;
    const HEAD = 20;
    const NARROWEST = 6;
    // Lanes that names may take for themselves, for each depth of calls.
    const SPREAD = 10;
    // Browsers lay out some 30 million pixels.
    const WIDEST = 8e6;
    const SVG = "http://www.w3.org/2000/svg";
    const brush = document.createElement("canvas").getContext("2d");

    function element(tag, className, text) {
        const made = document.createElement(tag);
        made.className = className;
        if (text !== undefined) {
            made.textContent = text;
        }
        return made;
    }

    window.TimeLine = class {
        // `names`: what rows and boxes show of layers and events; `opened`: called with the event of a clicked box.
        constructor(data, names, opened) {
            this.data = data;
            this.axis = "time";
            this.shown = () => true;
            this.start = data.events.length ? data.events[0].t : 0;
            this.root = element("div", "rec-line");
            this.root.tabIndex = -1;
            this.inner = element("div", "rec-rows");
            this.ticks = element("div", "rec-axis");
            this.inner.append(this.ticks);
            this.boxes = [];
            this.rows = [];
            for (const layer of data.layers) {
                for (const [thread, thread_name] of data.threads.entries()) {
                    const events = data.events.filter((event) => event.l === layer && event.th === thread);
                    if (events.length) {
                        this.addRow(layer, thread_name, events, names, opened);
                    }
                }
            }
            this.flow = document.createElementNS(SVG, "svg");
            this.flow.setAttribute("class", "rec-flow");
            this.flow.setAttribute("aria-hidden", "true");
            this.inner.append(this.flow);
            this.root.append(this.inner);
            this.root.addEventListener("scroll", () => this.drawTicks());
            this.root.addEventListener("wheel", (wheel) => {
                if (wheel.ctrlKey || wheel.metaKey) {
                    wheel.preventDefault();
                    this.zoom(Math.exp(-wheel.deltaY / 300), wheel.clientX - this.root.getBoundingClientRect().left);
                }
            }, { passive: false });
            this.drag();
        }

        addRow(layer, thread, events, names, opened) {
            const root = element("div", `rec-row layer-${layer}`);
            const name = element("span", "rec-name", names.layer(layer));
            name.append(element("span", "rec-thread", /^(\d+)$/.test(thread) ? `thread ${thread}` : thread));
            name.title = names.title(layer);
            root.append(name);
            for (const event of events) {
                const box = element("button", "rec-box");
                box.type = "button";
                box.tabIndex = -1;
                box.title = names.summary(event);
                box.append(element("span", "", event.n));
                box.onclick = () => opened(event);
                this.boxes[event.id - 1] = box;
                root.append(box);
            }
            this.inner.append(root);
            this.rows.push({ root, events });
        }

        // Where an event begins and ends on the axis: nanoseconds, or steps.
        place(event) {
            return this.axis === "time" ? [event.t - this.start, event.end - this.start] : [event.from, event.to];
        }

        get length() {
            return this.data.events.reduce((end, event) => Math.max(end, this.place(event)[1]), 1);
        }

        setAxis(axis) {
            this.axis = axis;
        }

        filter(shown) {
            this.shown = shown;
            this.layOut();
        }

        // Shows what lies between two places of the axis.
        fit(from, to) {
            const room = this.root.clientWidth || 800;
            const span = Math.max(to - from, this.axis === "time" ? 100 : 4);
            this.setScale(room * 0.86 / span);
            this.root.scrollLeft = from * this.scale - room * 0.04;
            this.drawTicks();
        }

        fitAll() {
            this.fit(0, this.length);
        }

        fitEvents(events) {
            const places = events.map((event) => this.place(event));
            this.fit(Math.min(...places.map(([from]) => from)), Math.max(...places.map(([, to]) => to)));
        }

        // `at`: the place in the window, in pixels, that stays where it is.
        zoom(factor, at = this.root.clientWidth / 2) {
            const place = (this.root.scrollLeft + at) / this.scale;
            this.setScale(this.scale * factor);
            this.root.scrollLeft = place * this.scale - at;
            this.drawTicks();
        }

        setScale(scale) {
            const length = this.length;
            const smallest = (this.root.clientWidth || 800) * 0.86 / length;
            const largest = Math.max(smallest, Math.min(WIDEST / length, this.axis === "time" ? 2 : 300));
            this.scale = Math.min(Math.max(scale, smallest), largest);
            this.layOut();
        }

        layOut() {
            if (!this.scale) {
                return;
            }
            brush.font = `${getComputedStyle(this.boxes[0] || this.root).fontSize} ${getComputedStyle(this.root).fontFamily}`;
            let right = this.length * this.scale;
            for (const { root, events } of this.rows) {
                const shown = events.filter(this.shown);
                events.forEach((event) => { this.boxes[event.id - 1].hidden = true; });
                root.hidden = shown.length === 0;
                const lanes = this.lanes(shown);
                for (const one of lanes.placed) {
                    const box = this.boxes[one.event.id - 1];
                    box.hidden = false;
                    box.style.left = `${one.left}px`;
                    box.style.width = `${one.width}px`;
                    box.style.top = `${HEAD + LANE * one.lane}px`;
                    box.classList.toggle("named", one.named);
                    box.classList.toggle("outside", one.named && one.outside);
                    right = Math.max(right, one.end);
                }
                root.style.height = `${HEAD + 4 + LANE * Math.max(1, lanes.count)}px`;
            }
            this.inner.style.width = `${right + 40}px`;
            this.drawFlow();
        }

        // A lane for each event: below the call around it, where box and name have room.
        lanes(events) {
            const around = [];
            const lanes = [];
            const placed = [];
            for (const event of events) {
                const [from, to] = this.place(event);
                const left = from * this.scale;
                const width = Math.max((to - from) * this.scale - 1, NARROWEST);
                while (around.length && around[around.length - 1].event.to < event.from) {
                    around.pop();
                }
                const least = around.length ? around[around.length - 1].lane + 1 : 0;
                const name = brush.measureText(event.n).width + 8;
                const one = { event, left, width, named: true, outside: name > width };
                one.end = left + width + (one.outside ? name : 0);
                const free = (lane) => (lanes[lane] || { end: -1 }).end < left;
                one.lane = [...Array(SPREAD).keys()].map((lane) => lane + least).find(free);
                if (one.lane === undefined) {
                    // No room for names: the first lane whose boxes leave some, and the name that is in the way goes.
                    one.lane = least;
                    while ((lanes[one.lane] || { box: -1 }).box >= left) {
                        one.lane++;
                    }
                    const last = lanes[one.lane];
                    if (last && last.end >= left) {
                        last.one.named = false;
                    }
                    if (one.outside) {
                        one.named = false;
                        one.end = left + width;
                    }
                }
                lanes[one.lane] = { end: one.end, box: left + width, one };
                if (event.d !== undefined) {
                    around.push(one);
                }
                placed.push(one);
            }
            return { placed, count: lanes.length };
        }

        drawTicks() {
            this.ticks.replaceChildren();
            if (!this.scale) {
                return;
            }
            if (this.axis !== "time") {
                this.ticks.append(element("span", "rec-steps", "each beginning and end is one step: not to scale"));
                return;
            }
            const least = 90 / this.scale;
            const power = 10 ** Math.floor(Math.log10(least));
            const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least);
            const first = Math.max(0, Math.floor(this.root.scrollLeft / this.scale / step) * step);
            const last = (this.root.scrollLeft + this.root.clientWidth) / this.scale;
            const [unit, size] = step >= 1e6 ? ["ms", 1e6] : step >= 1e3 ? ["us", 1e3] : ["ns", 1];
            for (let at = first; at <= last; at += step) {
                const tick = element("span", "rec-tick", `${Number((at / size).toPrecision(12))} ${unit}`);
                tick.style.left = `${at * this.scale}px`;
                this.ticks.append(tick);
            }
        }

        // The whole box, or its beginning where it is longer than the window, comes into sight.
        reveal(event) {
            const [from, to] = this.place(event).map((place) => place * this.scale);
            const { scrollLeft, clientWidth } = this.root;
            if (from < scrollLeft + 10 || Math.min(to, from + clientWidth / 2) > scrollLeft + clientWidth - 60) {
                this.root.scrollLeft = from - clientWidth / 3;
            }
            this.drawTicks();
        }

        setFlow(flow) {
            this.joined = flow;
            this.drawFlow();
        }

        drawFlow() {
            this.flow.replaceChildren();
            const boxes = (this.joined || []).map((index) => this.boxes[index]).filter((box) => !box.hidden);
            const places = boxes.map((box) => [box.offsetLeft + 4, box.parentElement.offsetTop + box.offsetTop + 9]);
            for (let i = 1; i < places.length; i++) {
                const [[x, y], [toX, toY]] = [places[i - 1], places[i]];
                const path = document.createElementNS(SVG, "path");
                path.setAttribute("d", `M${x} ${y} C${x} ${(y + toY) / 2}, ${toX} ${(y + toY) / 2}, ${toX} ${toY}`);
                this.flow.append(path);
            }
        }

        drag() {
            let from;
            let moved = false;
            this.root.addEventListener("pointerdown", (pointer) => {
                // Touch scrolls by itself.
                if (pointer.pointerType === "mouse" && pointer.button === 0) {
                    from = { x: pointer.clientX, left: this.root.scrollLeft };
                    moved = false;
                }
            });
            this.root.addEventListener("pointermove", (pointer) => {
                if (from && (moved || Math.abs(pointer.clientX - from.x) > 4)) {
                    moved = true;
                    this.root.classList.add("dragged");
                    this.root.scrollLeft = from.left - (pointer.clientX - from.x);
                }
            });
            const end = () => {
                from = undefined;
                this.root.classList.remove("dragged");
            };
            this.root.addEventListener("pointerup", end);
            this.root.addEventListener("pointerleave", end);
            // What ends a drag is no click.
            this.root.addEventListener("click", (click) => {
                if (moved) {
                    click.stopPropagation();
                    moved = false;
                }
            }, true);
        }
    };
})();
