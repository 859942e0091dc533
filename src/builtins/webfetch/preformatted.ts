import { attributeOf, walkHtml, type HtmlElement } from './html-tree.ts';

/** The text of a `pre` element as a fenced block, letter by letter; undefined when it is empty. */
export function fencedText(pre: HtmlElement): string | undefined {
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

/** As syntax highlighters write it into the class. */
function languageOf(element: HtmlElement): string | undefined {
  return /(?:^|\s)lang(?:uage)?-([\w+#-]{1,30})(?:\s|$)/.exec(attributeOf(element, 'class') ?? '')?.[1];
}
