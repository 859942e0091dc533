import { oneLine } from '../../output/text.ts';
import type { Box, Picture } from './picture.ts';

/** A picture in the language of Graphviz; no character of a name can end a label. Pure. */
export function dotOf({ boxes, arrows }: Picture): string {
  const lines = [
    'rankdir=LR;',
    'node [shape=box];',
    ...boxes.map((box) => `${box.id} [${attributesOf(box).join(', ')}];`),
    ...arrows.map(({ from, to, isFaint }) => `${from} -> ${to}${isFaint ? ' [style=dashed]' : ''};`),
  ];
  return ['digraph skills {', ...lines.map((line) => `  ${line}`), '}', ''].join('\n');
}

function attributesOf({ lines, isRound, isChosen }: Box): readonly string[] {
  return [
    `label="${lines.map(escaped).join('\\n')}"`,
    ...(isRound ? ['shape=ellipse', 'style=dashed'] : []),
    ...(isChosen ? ['penwidth=3'] : []),
  ];
}

/** Graphviz reads backslashes and the names of characters, as in `&lt;`, also between quotes. */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\"]/g, '\\$&').replaceAll('&', '&amp;');
}
