import { mermaidLabel } from '../../output/mermaid-label.ts';
import type { Box, Picture } from './picture.ts';

/** A picture as a Mermaid flowchart; no character of a name can end a label. Pure. */
export function mermaidOf({ boxes, arrows }: Picture): string {
  const lines = [
    ...boxes.map((box) => `${box.id}${shapeOf(box)}`),
    ...arrows.map(({ from, to, isFaint }) => `${from} ${isFaint ? '-.->' : '-->'} ${to}`),
    ...boxes.filter(({ isChosen }) => isChosen).map(({ id }) => `style ${id} stroke-width:3px`),
  ];
  return ['flowchart LR', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function shapeOf({ lines, isRound }: Box): string {
  const label = `"${lines.map(mermaidLabel).join('<br/>')}"`;
  return isRound ? `([${label}])` : `[${label}]`;
}
