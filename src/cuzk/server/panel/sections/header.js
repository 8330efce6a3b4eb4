// Who this is, whether it is live, and what needs a person.

import { age, clock, seconds } from "../format.js";
import { h, keyed, setAttr, setText, show } from "../dom.js";
import { alertsOf, engineWords } from "../model.js";
import { facts } from "./parts.js";

const LIVENESS = { connecting: "connecting", live: "live", stale: "stale", gone: "no answer", locked: "locked" };
const THEMES = ["system", "light", "dark"];

export class Header {
  constructor({ onToken }) {
    this.title = h("h1", {}, "cuzk");
    this.facts = facts();
    this.dot = h("i", { class: "dot", "aria-hidden": "true" });
    this.live = h("b", { role: "status" });
    this.age = h("span", { class: "muted" });
    this.theme = new ThemeButton();
    this.banner = h("p", { class: "banner", role: "alert" });
    this.engine = h("p", { class: "banner quiet" });
    this.unsafe = h("p", { class: "banner quiet" },
      "Development parameters are allowed here. Proofs made with them convince nobody else.");
    this.alerts = h("ul", { class: "alerts", "aria-label": "Needs attention" });
    this.token = new TokenForm(onToken);
    this.root = h("header", { class: "card top" },
      h("div", { class: "top-line" }, this.title, this.facts,
        h("span", { class: "live" }, this.dot, this.live, this.age), this.theme.root),
      this.banner, this.token.root, this.engine, this.unsafe, this.alerts);
  }

  update(snapshot) {
        this.facts.update([snapshot.versions?.cuzk ?? null, snapshot.host && `host ${snapshot.host}`, `up ${seconds(snapshot.uptime_secs)}`]);
    const words = engineWords(snapshot);
    setText(this.engine, words ? `The engine is ${words}.` : "");
    show(this.engine, words !== null);
    show(this.unsafe, snapshot.dev_params === true);
    const alerts = alertsOf(snapshot);
    keyed(this.alerts, alerts, (text) => text, () => h("li"), (node, text) => setText(node, text));
    show(this.alerts, alerts.length > 0);
  }

  // Runs many times a second's worth less often than data comes: only words about age change.
  tick(poller) {
    const state = poller.state;
    setAttr(this.root, "data-live", state);
    setText(this.live, LIVENESS[state]);
    setText(this.age, poller.snapshot ? `data ${age(poller.ageMs)} old` : "");
    const words = bannerWords(poller);
    setText(this.banner, words ?? "");
    show(this.banner, words !== null);
    this.token.show(state === "locked");
  }
}

function bannerWords({ state, failure, snapshot, sent }) {
  if (state === "live" || state === "connecting") return null;
  if (state === "locked") return failure.text;
  const last = snapshot ? ` What you see below is from ${clock(sent.wall / 1000)} and may have changed since.` : "";
  if (state === "gone") return `The daemon does not answer: ${failure.text}${last} This page keeps trying.`;
  const why = failure ? ` ${failure.text}` : " The daemon repeats an old answer or is slow.";
  return `The data is stale.${why}${last}`;
}

class ThemeButton {
  constructor() {
    this.root = h("button", { class: "plain", type: "button" });
    this.root.addEventListener("click", () => this.#set(THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length]));
    this.#set(storedTheme());
  }

  #set(theme) {
    this.theme = theme;
    setText(this.root, `theme: ${theme}`);
    setAttr(document.documentElement, "data-theme", theme === "system" ? null : theme);
    try {
      localStorage.setItem("cuzk-theme", theme);
    } catch {
      // Storage may be forbidden; the theme then lasts as long as the page.
    }
  }
}

function storedTheme() {
  try {
    const theme = localStorage.getItem("cuzk-theme");
    return THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}

class TokenForm {
  constructor(onToken) {
    this.input = h("input", { type: "password", autocomplete: "current-password", "aria-label": "Token" });
    this.root = h("form", { class: "token", hidden: true },
      h("input", { autocomplete: "username", hidden: true }), this.input, h("button", { class: "plain" }, "Open"));
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      onToken(this.input.value.trim());
      this.input.value = "";
    });
  }

  show(visible) {
    if (visible && this.root.hidden) queueMicrotask(() => this.input.focus());
    show(this.root, visible);
  }
}
