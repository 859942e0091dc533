import { tableName, walkHtml, type HtmlElement } from './html-tree.ts';

const complex = new Set([tableName, 'ul', 'ol', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Whether the cells of a table fit into lines; other tables are there to place things on the page. */
export function isPlainTable(table: HtmlElement): boolean {
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
