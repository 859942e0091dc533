import { attributeOf, type HtmlElement } from './html-tree.ts';

/** Whether an element says by itself that a person does not see it; style sheets are not asked. */
export function isHiddenElement(element: HtmlElement): boolean {
  if (element.attrs.length === 0) return false;
  if (attributeOf(element, 'hidden') !== undefined) return true;
  const style = attributeOf(element, 'style');
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style);
}
