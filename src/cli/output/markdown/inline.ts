import type { Token } from 'markdown-it';
import type { StyledSpan, Style } from './spans.ts';

const opening: Readonly<Record<string, Style>> = {
  strong_open: 'bold',
  em_open: 'italic',
  s_open: 'strikethrough',
};

/**
 * Returns the text of a paragraph as spans. Without colours, code keeps its backticks. A link is followed by
 * its address, unless its text is the address.
 */
export function inlineSpans(
  token: Token,
  hasColor: boolean,
  base: readonly Style[] = [],
): readonly StyledSpan[] {
  const spans: StyledSpan[] = [];
  const styles: Style[] = [...base];
  let link: { readonly address: string; text: string } | undefined;
  const put = (text: string, ...more: readonly Style[]): void => {
    if (link !== undefined) link.text += text;
    spans.push({ text, styles: [...styles, ...more] });
  };
  for (const child of token.children ?? []) {
    const { type, content } = child;
    const style = opening[type];
    if (style !== undefined) styles.push(style);
    else if (/^(?:strong|em|s)_close$/.test(type)) styles.pop();
    else if (type === 'link_open') {
      link = { address: String(child.attrGet('href') ?? ''), text: '' };
      styles.push('underline');
    } else if (type === 'link_close') {
      styles.pop();
      const shown = link === undefined || isSame(link) ? '' : ` (${link.address})`;
      link = undefined;
      if (shown !== '') put(shown, 'dim');
    } else if (type === 'code_inline') put(hasColor ? content : `\`${content}\``, 'cyan');
    // A line break of the writer is kept: models break lines where they mean it.
    else if (type === 'softbreak' || type === 'hardbreak') put('\n');
    else if (type === 'image') put(`[image: ${content || String(child.attrGet('src') ?? '')}]`, 'dim');
    else put(content);
  }
  return spans;
}

function isSame({ address, text }: { readonly address: string; readonly text: string }): boolean {
  return address === text || address === `mailto:${text}` || address === '';
}
