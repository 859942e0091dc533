import { defaultTreeAdapter, html as names, parse, type DefaultTreeAdapterTypes } from 'parse5';

/** Whether an element is hidden by its own attributes or inline style. Style sheets are ignored. */
export function isHiddenElement(element: HtmlElement): boolean {
  if (element.attrs.length === 0) return false;
  if (attributeOf(element, 'hidden') !== undefined) return true;
  const style = attributeOf(element, 'style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}

/** A node in a page. */
type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/** An element in a page. */
export type HtmlElement = DefaultTreeAdapterTypes.Element;

/** An entire page. */
type HtmlDocument = DefaultTreeAdapterTypes.Document;

/** The tag name of table elements. */
export const tableName: string = names.TAG_NAMES.TABLE;

// The maximum number of nodes. The limit is needed because a page can produce more nodes than it has bytes.
const maxNodes = 300_000;

/**
 * Parses a page into the tree that a browser would build. If the page has too many nodes, only its beginning
 * is parsed.
 */
export function parseHtml(html: string): { readonly document: HtmlDocument; readonly isCut: boolean } {
  const { createElement, createCommentNode, createDocument } = defaultTreeAdapter;
  const document = createDocument();
  const enough = new Error('enough');
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > maxNodes) throw enough;
  };
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement: (...args) => (count(), createElement(...args)),
    createCommentNode: (text) => (count(), createCommentNode(text)),
  };
  try {
    parse(html, { treeAdapter });
  } catch (thrown) {
    if (thrown !== enough) throw thrown;
  }
  return { document, isCut: nodes > maxNodes };
}

/**
 * The result of entering an element. `skip` skips its children. A function is called after its children have
 * been visited. With undefined, only the children are visited.
 */
export type Visit = 'skip' | (() => void) | undefined;

/** Visits all descendants of a node in document order, until `isEnough` returns true. */
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

/** Returns an attribute's value, or undefined if the element does not have it. */
export function attributeOf({ attrs }: HtmlElement, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}
