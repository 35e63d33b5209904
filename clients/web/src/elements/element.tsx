/** What the elements share: a shadow root with the app's styles, and the page's Firebase. */

import { signal } from "@preact/signals";
import { type ComponentChild, type ComponentChildren, render } from "preact";
import { useRef } from "preact/hooks";

import { StyleRoot } from "../app/styles.js";
import { Announcements } from "../app/toast.js";
import { useChange } from "../app/use_change.js";
import { Connection, type HostFirebase } from "../firebase/connection.js";
import { direction, type Locale, LOCALES, locale, text } from "../text/locale.js";

/** The app's styles, inserted by the build. */
declare const ROLLCALL_STYLES: string;

/** Elements of one Firebase share the client. */
const connections = new WeakMap<HostFirebase["functions"], Connection>();
const usual = signal<HostFirebase | undefined>(undefined);
/** The elements on the page, of which one announces to screen readers. */
const connectedElements = signal<RollcallElement[]>([]);
let styles: CSSStyleSheet | undefined;

/** Set the Firebase objects for all elements without their own. */
export function useFirebase(firebase: HostFirebase): void {
  usual.value = firebase;
}

export abstract class RollcallElement extends HTMLElement {
  readonly #own = signal<HostFirebase | undefined>(undefined);
  /** The attributes, as they are now. */
  protected readonly attributesNow = signal<Record<string, string | null>>({});

  /** The Firebase of the host page. */
  get firebase(): HostFirebase | undefined {
    return this.#own.value ?? usual.value;
  }

  set firebase(value: HostFirebase | undefined) {
    this.#own.value = value;
  }

  /** The content for a signed-in user. */
  protected abstract view(connection: Connection): ComponentChild;

  connectedCallback(): void {
    this.#takeEarly("firebase");
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open", delegatesFocus: true });
    styles ??= new CSSStyleSheet();
    if (!styles.cssRules.length) styles.replaceSync(ROLLCALL_STYLES);
    root.adoptedStyleSheets = [styles];
    connectedElements.value = [...connectedElements.value, this];
    const Frame = () => this.#frame();
    render(<Frame />, root);
  }

  disconnectedCallback(): void {
    connectedElements.value = connectedElements.value.filter((each) => each !== this);
    if (this.shadowRoot) render(null, this.shadowRoot);
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    this.attributesNow.value = { ...this.attributesNow.value, [name]: value };
    const wanted = LOCALES.find((each) => each === value);
    if (name === "locale" && wanted) locale.value = wanted satisfies Locale;
  }

  protected tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** A property that was set before the element was defined hides the accessor of the class. */
  #takeEarly(name: "firebase"): void {
    if (!Object.hasOwn(this, name)) return;
    const value = this[name];
    delete (this as Partial<Pick<RollcallElement, "firebase">>)[name];
    this[name] = value;
  }

  #frame(): ComponentChild {
    const firebase = this.firebase;
    const connection = firebase && connectionOf(firebase);
    const user = connection?.user.value;
    return (
      <div class="element" lang={locale.value} dir={direction.value}>
        {connection && user ? (
          <StyleRoot.Provider key={user.uid} value={this.shadowRoot!}>
            {this.view(connection)}
          </StyleRoot.Provider>
        ) : (
          <slot name="signed-out">
            <p class="quiet loading">{text(user === null ? "element.signed_out" : "app.loading")}</p>
          </slot>
        )}
        {connectedElements.value[0] === this && <Announcements />}
      </div>
    );
  }
}

/** The pages of an element. The next one takes the focus, if what had it went with the one before. */
export function Pages(props: { page: string | undefined; name: string; children: ComponentChildren }) {
  const { page, name, children } = props;
  const place = useRef<HTMLElement>(null);
  useChange(page, () => document.activeElement === document.body && place.current?.focus());
  return (
    <section class="pages" tabIndex={-1} ref={place} aria-label={name}>
      {children}
    </section>
  );
}

function connectionOf(firebase: HostFirebase): Connection {
  const known = connections.get(firebase.functions);
  if (known) return known;
  const { options } = firebase.functions.app;
  const { prefix = "" } = firebase;
  const configuration = { name: "", region: "", prefix, signIn: [], appCheckSiteKey: "" };
  const made = new Connection({ configuration, firebase: options }, firebase);
  connections.set(firebase.functions, made);
  return made;
}
