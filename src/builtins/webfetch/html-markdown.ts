import {
  attributeOf,
  isHiddenElement,
  parseHtml,
  tableName,
  walkHtml,
  type HtmlElement,
  type Visit,
} from './html-tree.ts';
import { createMarkdownWriter } from './markdown-writer.ts';

/** A page converted to Markdown. */
interface PageMarkdown {
  /** The page's title, or an empty string if it has none. */
  readonly title: string;
  readonly text: string;
  readonly isCut: boolean;
}

// prettier-ignore
const blocks = new Set([
  'address', 'article', 'aside', 'body', 'caption', 'center', 'details', 'dialog', 'div', 'dl', 'dt', 'fieldset',
  'figcaption', 'figure', 'footer', 'form', 'header', 'hgroup', 'legend', 'main', 'nav', 'p', 'search', 'section',
  'summary', tableName, 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr',
]);
// prettier-ignore
const dropped = new Set([
  'audio', 'canvas', 'datalist', 'embed', 'iframe', 'math', 'noembed', 'noframes', 'noscript', 'object', 'script',
  'select', 'style', 'svg', 'template', 'textarea', 'video',
]);
// prettier-ignore
const marks: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*', del: '~~', s: '~~' };
const codes = new Set(['code', 'kbd', 'samp', 'tt']);

/**
 * Converts the visible content of a page to Markdown of at most `most` characters. Relative addresses are
 * resolved against `url`.
 */
export function htmlMarkdown(html: string, url: string, most: number): PageMarkdown {
  const writer = createMarkdownWriter(most);
  const lists: { readonly isOrdered: boolean; next: number }[] = [];
  let rows: string[][] | undefined; // The rows of the table being converted.
  let title: string | undefined;
  let base = url;

  function enter(element: HtmlElement): Visit {
    const name = element.tagName;
    if (dropped.has(name) || isHiddenElement(element)) return 'skip';
    if (/^h[1-6]$/.test(name)) return writer.heading(`${'#'.repeat(Number(name[1]))} `);
    if (Object.hasOwn(marks, name)) {
      const sign = marks[name] ?? '';
      return writer.mark(sign, (text) => `${sign}${text}${sign}`);
    }
    if (codes.has(name)) return writer.mark('code', asCode);
    if (name === tableName && isPlainTable(element)) return enterTable();
    if (rows !== undefined && name === 'tr') rows.push([]);
    if (rows !== undefined && (name === 'td' || name === 'th')) return enterCell(element, rows);
    if (blocks.has(name)) {
      writer.block();
      return () => writer.block();
    }
    return enterOther(element);
  }

  function enterOther(element: HtmlElement): Visit {
    switch (element.tagName) {
      case 'title':
        title ??= textOf(element);
        return 'skip';
      case 'base':
        base = URL.parse(attributeOf(element, 'href') ?? '', url)?.href ?? url;
        return undefined;
      case 'a':
        return enterLink(element);
      case 'img':
        writer.text(` ${attributeOf(element, 'alt') ?? ''} `);
        return undefined;
      case 'br':
        writer.breakLine();
        return undefined;
      case 'hr':
        writer.verbatim('---');
        return undefined;
      case 'pre': {
        const fenced = fencedText(element);
        if (fenced !== undefined) writer.verbatim(fenced);
        return 'skip';
      }
      case 'blockquote':
        return writer.contain({ first: '> ', rest: '> ' });
      case 'ul':
      case 'ol':
      case 'menu':
        return enterList(element);
      case 'li':
        return enterItem(element);
      case 'dd':
        return writer.contain({ first: ': ', rest: '  ' });
      default:
        return undefined;
    }
  }

  function enterLink(element: HtmlElement): Visit {
    const target = linkTarget(attributeOf(element, 'href') ?? '', base);
    if (target === undefined) return undefined;
    return writer.mark('link', (text) => `[${text.replaceAll('\n', ' ')}](${target})`);
  }

  function enterList(element: HtmlElement): Visit {
    writer.block();
    const start = Number.parseInt(attributeOf(element, 'start') ?? '', 10);
    lists.push({ isOrdered: element.tagName === 'ol', next: Number.isSafeInteger(start) ? start : 1 });
    return () => {
      writer.block();
      lists.pop();
    };
  }

  function enterItem(element: HtmlElement): Visit {
    const list = lists.at(-1) ?? { isOrdered: false, next: 1 };
    const first = list.isOrdered ? `${list.next}. ` : '- ';
    list.next += 1;
    return writer.contain({ first, rest: ' '.repeat(first.length), list: lists[0] ?? element });
  }

  function enterTable(): Visit {
    writer.block();
    const own: string[][] = [];
    rows = own;
    return () => {
      rows = undefined;
      writer.block();
      const text = tableMarkdown(own);
      if (text !== '') writer.verbatim(text);
    };
  }

  function enterCell(element: HtmlElement, own: readonly string[][]): Visit {
    const span = Number.parseInt(attributeOf(element, 'colspan') ?? '', 10);
    const captured = writer.capture();
    return () => {
      const row = own.at(-1) ?? [];
      row.push(captured());
      for (let column = 1; column < span && row.length < 100; column += 1) row.push('');
    };
  }

  const { document, isCut } = parseHtml(html);
  walkHtml(document, { enter, text: writer.text, isEnough: writer.isFull });
  const written = writer.finish();
  return { title: title ?? '', text: written.text, isCut: isCut || written.isCut };
}

function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function textOf(element: HtmlElement): string {
  const pieces: string[] = [];
  walkHtml(element, { enter: () => undefined, text: (text) => void pieces.push(text) });
  return pieces.join('').replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
}

/** Returns the absolute address of a link, or undefined if it is an anchor, a script or data. */
function linkTarget(href: string, base: string): string | undefined {
  if (href === '' || href.startsWith('#') || href.length > 2000) return undefined;
  const target = URL.parse(href, base);
  if (target === null || !['http:', 'https:', 'mailto:'].includes(target.protocol)) return undefined;
  return target.href.replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

const complex = new Set([tableName, 'ul', 'ol', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Whether every cell of a table fits on one line. Other tables are treated as page layout. */
function isPlainTable(table: HtmlElement): boolean {
  let isPlain = true;
  walkHtml(table, {
    enter(element) {
      if (complex.has(element.tagName)) isPlain = false;
      return undefined;
    },
    text: () => undefined,
    isEnough: () => !isPlain,
  });
  return isPlain;
}

/** Returns the exact text of a `pre` element as a fenced code block, or undefined if the element is empty. */
function fencedText(pre: HtmlElement): string | undefined {
  const pieces: string[] = [];
  let language = languageOf(pre);
  walkHtml(pre, {
    enter(element) {
      language ??= languageOf(element);
      if (element.tagName === 'br') pieces.push('\n');
      return undefined;
    },
    text: (text) => void pieces.push(text),
  });
  const text = pieces.join('').trimEnd().replace(/^\n+/, '');
  if (text === '') return undefined;
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language ?? ''}\n${text}\n${fence}`;
}

/** Returns the programming language in an element's class name, such as `language-ts`. */
function languageOf(element: HtmlElement): string | undefined {
  return /(?:^|\s)lang(?:uage)?-([\w+#-]{1,30})(?:\s|$)/.exec(attributeOf(element, 'class') ?? '')?.[1];
}

/** Builds a Markdown table whose first row is the header. Single-cell rows become lines of text. */
function tableMarkdown(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell !== ''));
  const columns = filled.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns < 2) return filled.map((row) => row.join('')).join('\n');
  const [head = [], ...body] = filled;
  const wide = [...head, ...Array.from({ length: columns - head.length }, () => '')];
  return [wide, wide.map(() => '---'), ...body].map(lineOf).join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
