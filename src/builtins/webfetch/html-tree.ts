import { defaultTreeAdapter, html as names, parse, type DefaultTreeAdapterTypes } from 'parse5';

/** Whether an element says by itself that a person does not see it; style sheets are not asked. */
export function isHiddenElement(element: HtmlElement): boolean {
  if (element.attrs.length === 0) return false;
  if (attributeOf(element, 'hidden') !== undefined) return true;
  const style = attributeOf(element, 'style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/** A node of a page. */
type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/** An element of a page. */
export type HtmlElement = DefaultTreeAdapterTypes.Element;

/** A whole page. */
type HtmlDocument = DefaultTreeAdapterTypes.Document;

/** What the parser calls the elements of tables. */
export const tableName: string = names.TAG_NAMES.TABLE;

// A page may ask its parser for far more elements than it has bytes; no page that people read comes near this.
const mostNodes = 300_000;

/** The tree that a browser would make of a page, or of its beginning when it is made to use up memory. */
export function parseHtml(html: string): { readonly document: HtmlDocument; readonly isCut: boolean } {
  const { createElement, createCommentNode, createDocument } = defaultTreeAdapter;
  const document = createDocument();
  const enough = new Error('enough');
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > mostNodes) throw enough;
  };
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement: (...words) => (count(), createElement(...words)),
    createCommentNode: (text) => (count(), createCommentNode(text)),
  };
  try {
    parse(html, { treeAdapter });
  } catch (thrown) {
    if (thrown !== enough) throw thrown;
  }
  return { document, isCut: nodes > mostNodes };
}

/** What to do with an element: leave it out, or look into it and then do this. */
export type Visit = 'skip' | (() => void) | undefined;

/** Goes through everything below a node in order, however deep it is, until nothing more is wanted. */
export function walkHtml(
  start: HtmlDocument | HtmlElement,
  on: {
    readonly enter: (element: HtmlElement) => Visit;
    readonly text: (text: string) => void;
    readonly isEnough?: () => boolean;
  },
): void {
  const open: {
    readonly nodes: readonly HtmlNode[];
    next: number;
    readonly leave?: (() => void) | undefined;
  }[] = [{ nodes: start.childNodes, next: 0 }];
  for (let top = open.at(-1); top !== undefined && on.isEnough?.() !== true; top = open.at(-1)) {
    const node = top.nodes[top.next];
    top.next += 1;
    if (node === undefined) {
      open.pop();
      top.leave?.();
    } else if ('tagName' in node) {
      const leave = on.enter(node);
      if (leave !== 'skip') open.push({ nodes: node.childNodes, next: 0, leave });
    } else if (node.nodeName === '#text') {
      on.text(node.value);
    }
  }
}

/** The value of an attribute; undefined when it has none of that name. */
export function attributeOf({ attrs }: HtmlElement, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}
