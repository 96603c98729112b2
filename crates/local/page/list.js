// Virtual list for jobs, requests, webhooks and logs: it holds only the visible rows and a margin.

import { attribute, el, keyed, on, text } from "./dom.js";
import { connects } from "./events.js";
import { clockTime, counted, wallTime } from "./format.js";

const MARGIN = 20;

/** The cell of a time on the service's clock, with that on the computer's. */
export const timeCell = () => el("td", {}, el("time"), el("span", { class: "of roomy" }));

export function setTime({ firstElementChild: time, lastElementChild: wall }, { atMs, wallMs }) {
	text(time, clockTime(atMs));
	text(wall, wallTime(wallMs));
}

/**
 * Fills the `table` inside a scrolling element. `load(window)` fetches a window, whose rows are its
 * member `rows`, and `loaded(window)` gets it; `open(row)` is called for Enter and a click. How many
 * there are of a `noun` is shown.
 */
export class List {
	followed = "";
	revision = null;
	offset = 0;
	total = 0;
	rows = [];
	active = null;
	generation = 0;

	constructor(table, options) {
		this.options = { key: ({ number }) => number, ...options };
		this.table = table;
		this.scroller = table.parentElement;
		this.body = table.tBodies[0];
		this.above = spacer();
		this.below = spacer();
		table.tHead.after(this.above);
		this.body.after(this.below);
		this.body.className = "rows";
		attribute(table, "role", "grid");
		attribute(table, "aria-labelledby", `${table.closest("section").id}-title`);
		table.tabIndex = 0;
		on(this.scroller, "scroll", () => this.scrolled(), { passive: true });
		new ResizeObserver(() => this.scrolled()).observe(this.scroller);
		on(table, "keydown", (event) => this.key(event));
		on(table, "focus", () => this.active ?? this.activate(this.first, false));
		on(this.body, "click", (event) => this.click(event));
	}

	/** In pixels; all rows are equally high. */
	get rowHeight() {
		return (this.height ||= this.table.tHead.getBoundingClientRect().height);
	}

	/** The number of the first row in view, from 0 on. */
	get first() {
		return Math.floor(this.scroller.scrollTop / this.rowHeight);
	}

	/** Fetches anew if the list is of something else, and what is in view if its revision is. */
	follow(subject, ofConnection) {
		const revision = `${connects} ${ofConnection}`;
		const wanted = subject.join("\n");
		if (wanted !== this.followed) this.reset();
		else if (revision !== this.revision) this.refresh();
		this.followed = wanted;
		this.revision = revision;
	}

	reset() {
		this.generation += 1;
		this.scroller.scrollTop = 0;
		this.active = null;
		this.loading = null;
		this.next = null;
		this.rows = [];
		return this.refresh();
	}

	/** Fetches what is in view; calls during a fetch become one. */
	refresh() {
		return (this.next ??= this.fetchNext());
	}

	async fetchNext() {
		const { generation } = this;
		await this.loading;
		if (generation !== this.generation) return;
		this.next = null;
		await (this.loading = this.fetch(generation));
	}

	async fetch(generation) {
		const { offset, limit } = this.wanted();
		const page = await this.options.load({ offset, limit }).catch(() => undefined);
		if (generation !== this.generation) return;
		if (page === undefined) return setTimeout(() => this.refresh(), 1000);
		if (page) this.options.loaded?.(page);
		this.show(offset, page?.total ?? 0, page?.[this.options.rows] ?? []);
	}

	wanted() {
		const shown = Math.ceil(this.scroller.clientHeight / this.rowHeight) + 1;
		const { first } = this;
		const offset = Math.max(0, first - MARGIN);
		return { offset, limit: first - offset + shown + MARGIN };
	}

	show(from, total, rows) {
		// A list that has shrunk ends above the offset: without space below, it scrolls back.
		const offset = Math.min(from, total);
		const { key, create, update, noun } = this.options;
		const moved = this.movement(offset, rows);
		this.offset = offset;
		this.total = total;
		this.rows = rows;
		keyed(this.body, rows, key, create, (tr, row) => {
			tr.id ||= `${this.table.id}-${key(row)}`;
			tr.row = row;
			attribute(tr, "aria-rowindex", offset + rows.indexOf(row) + 2);
			update(tr, row);
		});
		attribute(this.table, "aria-rowcount", total + 1);
		stretch(this.above, offset * this.rowHeight);
		stretch(this.below, Math.max(0, total - offset - rows.length) * this.rowHeight);
		if (moved) this.scroller.scrollTop += moved * this.rowHeight;
		this.mark();
		if (noun) text(`${this.options.rows}-found`, counted(total, noun));
		if (rows.length === 0 && total > 0) this.refresh();
	}

	/** Number of rows by which those in view have moved, below new ones. */
	movement(offset, rows) {
		const { first } = this;
		const anchor = this.rows[first - this.offset];
		if (!first || !anchor) return 0;
		const name = this.options.key(anchor);
		const now = rows.findIndex((row) => this.options.key(row) === name);
		return now < 0 ? 0 : offset + now - first;
	}

	scrolled() {
		const { offset, limit } = this.wanted();
		const end = Math.min(offset + limit, this.total);
		const half = MARGIN / 2;
		if (this.offset > offset + half || this.offset + this.rows.length < end - half) this.refresh();
	}

	indexOfActive() {
		const { key } = this.options;
		const at = this.rows.findIndex((row) => key(row) === this.active);
		return at < 0 ? null : this.offset + at;
	}

	async activate(index, scroll = true) {
		const place = Math.max(0, Math.min(index, this.total - 1));
		if (scroll) this.reveal(place * this.rowHeight);
		if (!this.rows[place - this.offset]) await this.refresh();
		const row = this.rows[(index > place ? this.total - 1 : place) - this.offset];
		if (row) this.active = this.options.key(row);
		this.mark();
	}

	/** Scrolls to a row; `top` is the space above it. */
	reveal(top) {
		const lowest = top + 2 * this.rowHeight - this.scroller.clientHeight;
		this.scroller.scrollTop = Math.max(lowest, Math.min(this.scroller.scrollTop, top));
	}

	mark() {
		let id = null;
		for (const tr of this.body.rows) {
			const isActive = this.options.key(tr.row) === this.active;
			if (isActive) id = tr.id;
			tr.classList.toggle("active", isActive);
		}
		attribute(this.table, "aria-activedescendant", id);
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
		const ends = { Home: 0, End: Infinity };
		if (event.key in steps) {
			const at = this.indexOfActive();
			this.activate(at === null ? this.first : at + steps[event.key]);
		} else if (event.key in ends) {
			this.activate(ends[event.key]);
		} else if (event.key === "Enter") {
			const active = this.body.querySelector(".active");
			if (active) this.options.open(active.row);
		} else {
			return;
		}
		event.preventDefault();
	}

	click(event) {
		const tr = event.target.closest("tr");
		if (!tr?.row || event.target.closest("a, button")) return;
		this.active = this.options.key(tr.row);
		this.mark();
		if (!getSelection()?.toString()) this.options.open(tr.row);
	}

	focus() {
		this.table.focus();
	}
}

const spacer = () => el("tbody", { class: "spacer", "aria-hidden": "true" }, el("tr", {}, el("td")));

function stretch(body, height) {
	body.rows[0].cells[0].style.height = `${height}px`;
}
