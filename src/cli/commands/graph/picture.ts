import { counted } from '../../../core/index.ts';
import type { CallEdge, CallGraph, CallNode } from '../../../agent/call-graph.ts';
import { mermaidLabel, oneLine } from '../../command-kit.ts';
import { boundText, groupText, type Focus } from './focus.ts';

/** Formats a picture for Graphviz and escapes the names, so that a name cannot end its label. Pure. */
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

/**
 * Escapes text for Graphviz, which interprets backslashes and HTML entities such as `&lt;` even inside
 * quotes.
 */
function escaped(text: string): string {
  return oneLine(text).replace(/[\\"]/g, '\\$&').replaceAll('&', '&amp;');
}

/** Formats a picture as a Mermaid flowchart. Escapes names, so that no name can end its label. Pure. */
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

/** A graph as boxes and arrows, independent of the output format. */
interface Picture {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** A box for a skill, a group, or a name that matches no skill. Only skills have square corners. */
interface Box {
  /** The box's id, a letter followed by a number. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly isRound: boolean;
  /** Whether the box is the selected skill. */
  readonly isChosen: boolean;
}

/** An allowed call between two boxes, given as box ids. An arrow to a group is drawn faintly. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isFaint: boolean;
}

/** Builds the picture of the whole graph, without built-in skills that have no edges. Pure. */
export function pictureOf({ nodes, edges }: CallGraph, chosen?: string): Picture {
  const used = new Set(edges.flatMap(({ from, to, group }) => (group === undefined ? [from, to] : [from])));
  const shown = nodes.filter(
    (node) =>
      node.kind === 'missing' || node.source !== 'bundled' || used.has(node.name) || node.name === chosen,
  );
  const ids = new Map(shown.map(({ name }, index) => [name, `s${index + 1}`]));
  const groups = [...new Set(edges.flatMap(({ group }) => (group === undefined ? [] : [groupText(group)])))];
  const groupIds = new Map(groups.map((text, index) => [text, `g${index + 1}`]));
  const targetOf = ({ to, group }: CallEdge): string =>
    (group === undefined ? ids.get(to) : groupIds.get(groupText(group))) ?? '';
  return {
    boxes: [
      ...shown.map((node) => boxOf(node, ids.get(node.name) ?? '', node.name === chosen)),
      ...groups.map((text) => roundBox(groupIds.get(text) ?? '', [text])),
    ],
    arrows: edges.map((edge) => ({
      from: ids.get(edge.from) ?? '',
      to: targetOf(edge),
      isFaint: edge.group !== undefined,
    })),
  };
}

/**
 * Builds the picture around one skill. Callers that may call the skill only as part of a group share one box.
 * Pure.
 */
export function pictureAround({ skill, below, callers, others }: Focus, all: CallGraph): Picture {
  const inside = new Set(below.nodes.map(({ name }) => name));
  const above = new Set(callers.filter((name) => !inside.has(name)));
  const named = [...above].map((from) => ({ from, to: skill.name }));
  const nodes = all.nodes.filter(({ name }) => inside.has(name) || above.has(name));
  const { boxes, arrows } = pictureOf({ nodes, edges: [...below.edges, ...named] }, skill.name);
  const to = boxes.find(({ isChosen }) => isChosen)?.id;
  if (others.length === 0 || to === undefined) return { boxes, arrows };
  const text = `${counted(others.length, 'skill')} that may call it but do not name it`;
  return {
    boxes: [...boxes, roundBox('c1', [text])],
    arrows: [...arrows, { from: 'c1', to, isFaint: true }],
  };
}

function boxOf(node: CallNode, id: string, isChosen: boolean): Box {
  if (node.kind === 'missing') return { ...roundBox(id, [node.name, 'missing']), isChosen };
  const { name, family, status, onlyThrough, allowedTools } = node;
  const lines = [
    ...[name, family],
    ...(status === 'unavailable' ? [status] : []),
    ...(allowedTools === undefined ? [] : [`tools below: ${boundText(allowedTools.rules)}`]),
    ...(onlyThrough === undefined ? [] : [`only through ${onlyThrough.join(', ')}`]),
  ];
  return { id, lines, isRound: false, isChosen };
}

function roundBox(id: string, lines: readonly string[]): Box {
  return { id, lines, isRound: true, isChosen: false };
}
