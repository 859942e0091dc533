import assert from 'node:assert/strict';

/** An element of the simple XML that this project writes. It contains children or text, never both. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** Parses one XML element strictly. Throws at the first violation of XML 1.0. */
export function readXml(text: string): Element {
  assert.ok(text.isWellFormed() && allowed.test(text), 'a character that XML forbids');
  const [element, rest] = readElement(text);
  assert.equal(rest, '', 'text after the element');
  return element;
}

function readElement(text: string): readonly [Element, string] {
  const start = /^<([a-z_]+)((?: [a-z]+="[^"<]*")*)>/.exec(text);
  assert.ok(start, `no start tag: ${JSON.stringify(text.slice(0, 40))}`);
  const [tag = '', name = '', written = ''] = start;
  const pairs = Array.from(written.matchAll(/ ([a-z]+)="([^"]*)"/g), ([, key = '', value = '']) => [
    key,
    unescape(value),
  ]);
  const children: Element[] = [];
  let rest = text.slice(tag.length);
  let content = '';
  while (!rest.startsWith('</')) {
    const until = rest.indexOf('<');
    assert.notEqual(until, -1, `${name} has no end`);
    content += rest.slice(0, until);
    rest = rest.slice(until);
    if (rest.startsWith('</')) break;
    const [child, behind] = readElement(rest);
    children.push(child);
    rest = behind;
  }
  const end = `</${name}>`;
  assert.ok(rest.startsWith(end), `${name} ends with ${JSON.stringify(rest.slice(0, 40))}`);
  assert.ok(children.length === 0 || content.trim() === '', `text between the children of ${name}`);
  const attributes = Object.fromEntries(pairs) as Record<string, string>;
  return [{ name, attributes, children, text: unescape(content) }, rest.slice(end.length)];
}

function unescape(text: string): string {
  assert.ok(!text.includes(']]>') && !/[<>"']/.test(text.replaceAll('\n', '')), 'something is not escaped');
  return text.replace(/&([^;&]*);?/g, (written, name: string) => {
    const character = written.endsWith(';') ? entities.get(name) : undefined;
    assert.ok(character !== undefined, `no entity: ${written}`);
    return character;
  });
}
