/** A range of text. Its end is exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A set of secrets in all their encodings. */
interface KnownSecrets {
  /**
   * Finds every secret in the text in a single pass, however many secrets there are. Overlapping matches are
   * merged into one range.
   */
  find(text: string): readonly Stretch[];
  /** Whether a secret could start in the text and continue in the next chunk. */
  isOpenAtEnd(text: string): boolean;
}

/** Builds a search structure for secrets. */
export function createKnownSecrets(secrets: Iterable<string>): KnownSecrets {
  const forms = new Set([...secrets].flatMap(formsOf));
  const tree = buildTree(forms);
  const longest = Math.max(0, ...[...forms].map(({ length }) => length));
  return {
    find(text) {
      const found: Stretch[] = [];
      if (longest === 0) return found;
      let node = 0;
      for (let index = 0; index < text.length; index++) {
        node = follow(tree, node, text.charCodeAt(index));
        const length = tree.longest[node] ?? 0;
        if (length > 0) addStretch(found, index + 1 - length, index + 1);
      }
      return found;
    },
    isOpenAtEnd(text) {
      let node = 0;
      for (let index = Math.max(0, text.length - longest); index < text.length; index++) {
        node = follow(tree, node, text.charCodeAt(index));
      }
      return node !== 0;
    },
  };
}

function addStretch(found: Stretch[], start: number, end: number): void {
  let first = start;
  for (let last = found.at(-1); last !== undefined && last.end > start; last = found.at(-1)) {
    first = Math.min(first, last.start);
    found.pop();
  }
  found.push({ start: first, end });
}

// An Aho-Corasick automaton. Nodes are numbered from 0, the root. Most nodes have only one child, which needs
// no map.
interface Tree {
  readonly code: number[];
  readonly child: number[];
  readonly otherChildren: (Map<number, number> | undefined)[];
  /** For each node, the node that represents the longest proper suffix of its string. */
  readonly fallback: number[];
  /** For each node, the length of the longest secret form that ends there, or 0 if none ends there. */
  readonly longest: number[];
}

interface Edge {
  readonly parent: number;
  readonly code: number;
  readonly node: number;
}

function buildTree(forms: Iterable<string>): Tree {
  const tree: Tree = { code: [], child: [], otherChildren: [], fallback: [], longest: [] };
  addNode(tree);
  const levels: Edge[][] = [];
  for (const form of forms) {
    let parent = 0;
    for (let index = 0; index < form.length; index++) {
      const code = form.charCodeAt(index);
      let node = childOf(tree, parent, code);
      if (node === undefined) {
        node = addNode(tree);
        setChild(tree, parent, code, node);
        (levels[index] ??= []).push({ parent, code, node });
      }
      parent = node;
    }
    tree.longest[parent] = form.length;
  }
  for (const { parent, code, node } of levels.flat()) {
    const fallback = parent === 0 ? 0 : follow(tree, tree.fallback[parent] ?? 0, code);
    tree.fallback[node] = fallback;
    tree.longest[node] ||= tree.longest[fallback] ?? 0;
  }
  return tree;
}

/** Returns the node for the longest suffix of the scanned text that is a prefix of a secret form. */
function follow(tree: Tree, from: number, code: number): number {
  for (let node = from; ; node = tree.fallback[node] ?? 0) {
    const child = childOf(tree, node, code);
    if (child !== undefined) return child;
    if (node === 0) return 0;
  }
}

function childOf(tree: Tree, node: number, code: number): number | undefined {
  return tree.code[node] === code ? tree.child[node] : tree.otherChildren[node]?.get(code);
}

function setChild(tree: Tree, parent: number, code: number, node: number): void {
  if (tree.child[parent] === 0) {
    tree.code[parent] = code;
    tree.child[parent] = node;
  } else (tree.otherChildren[parent] ??= new Map<number, number>()).set(code, node);
}

function addNode(tree: Tree): number {
  tree.code.push(-1);
  tree.child.push(0);
  tree.otherChildren.push(undefined);
  tree.fallback.push(0);
  return tree.longest.push(0) - 1;
}

// The minimum length of a secret. Shorter secrets would cause ordinary words to be redacted.
const shortest = 6;

/**
 * Returns the forms in which a secret can appear: the secret itself and its usual encodings. Returns an empty
 * list if the secret is too short.
 */
function formsOf(secret: string): readonly string[] {
  const text = secret.trim().toWellFormed();
  if (text.length < shortest) return [];
  const inUrl = [encodeURIComponent(text), encodeURI(text), encodeForm(text)];
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    ...inUrl,
    ...inUrl.map((form) => form.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())),
    ...[text, secret].flatMap(encodeBase64),
  ];
}

function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function encodeBase64(text: string): readonly string[] {
  const padded = Buffer.from(text).toString('base64');
  return [padded, padded.replace(/=+$/, ''), Buffer.from(text).toString('base64url')];
}
