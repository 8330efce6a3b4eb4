// <cuzk-panel src="status"> shows one daemon. Attributes: `src` (address of the status JSON), `interval` (ms, 1500).
// The page of a fleet uses the same element, one for each daemon.

import { h, show } from "./dom.js";
import { Poller } from "./poller.js";
import { Devices, SynthesisWorkers } from "./sections/devices.js";
import { Gpus } from "./sections/gpus.js";
import { Header } from "./sections/header.js";
import { Overview } from "./sections/overview.js";
import { Pipelines } from "./sections/pipelines.js";
import { Recent } from "./sections/recent.js";
import { Storage } from "./sections/storage.js";

const INTERVAL_MS = 1500;
const TICK_MS = 200;
const TOKEN_KEY = "cuzk-token";

class CuzkPanel extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.poller = new Poller({
      url: this.getAttribute("src") ?? "status",
      interval: Number(this.getAttribute("interval")) || INTERVAL_MS,
      headers: () => (this.token ? { Authorization: `Bearer ${this.token}` } : {}),
      onChange: () => this.#draw(),
    });
    this.poller.start();
    this.ticker = setInterval(() => this.header.tick(this.poller), TICK_MS);
    this.header.tick(this.poller);
  }

  disconnectedCallback() {
    clearInterval(this.ticker);
    this.poller.stop();
  }

  #build() {
    this.token = takeToken();
    this.header = new Header({ onToken: (token) => this.#unlock(token) });
    this.sections = [new Overview(), new Pipelines(), new Devices(), new Gpus(), new SynthesisWorkers(), new Storage(), new Recent()];
    const [overview, pipelines, devices, gpus, synthesis, storage, recent] = this.sections.map((section) => section.root);
    this.content = h("div", { class: "content", hidden: true }, overview, pipelines, devices, gpus, synthesis,
      h("div", { class: "columns" }, recent, storage));
    const style = h("link", { rel: "stylesheet", href: new URL("panel.css", import.meta.url).href });
    this.attachShadow({ mode: "open" }).append(style, this.header.root, this.content);
  }

  #draw() {
    const { snapshot } = this.poller;
    if (snapshot && snapshot !== this.drawn) {
      this.drawn = snapshot;
      this.header.update(snapshot);
      for (const section of this.sections) section.update(snapshot);
      show(this.content, true);
      this.dispatchEvent(new CustomEvent("cuzk-status", { detail: snapshot }));
    }
    this.header.tick(this.poller);
  }

  #unlock(token) {
    this.token = token;
    keepToken(token);
    this.poller.refresh();
  }
}

// A token may come in the address's fragment, which no server sees; it is taken out of the address at once.
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    history.replaceState(null, "", location.pathname + location.search);
    keepToken(given);
    return given;
  }
  try {
    return sessionStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}

function keepToken(token) {
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    // Storage may be forbidden; the token then lasts as long as the page.
  }
}

customElements.define("cuzk-panel", CuzkPanel);
