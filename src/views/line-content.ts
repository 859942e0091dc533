import { addUsage, type ApprovalRequest, type ErrorData, type Json, type Usage } from '../core/index.ts';
import type { Branch, FrameNode, RefusedNode, TreeNode } from './run-node.ts';
import { durationText, moneyText, shortText, tokensText } from './text.ts';

/** How a line is to be written. */
export interface LineOptions {
  /** Milliseconds since 1970, for what has not ended. */
  readonly now: number;
  /** Whether a line also counts what its calls used; `total` unless given. */
  readonly costs?: 'total' | 'own';
  /** Nobody works on the run any more, which its log does not know. */
  readonly isInterrupted?: boolean;
}

/** What a line says about a call, about several that are alike, or about something that a call did itself. */
export interface LineContent {
  readonly status: FrameNode['status'] | 'refused' | 'interrupted' | 'reused' | 'note' | 'artifact';
  /** It works itself; a caller that only waits for its calls does not. */
  readonly busy: boolean;
  /** The skill, and how many calls of it if there are several. */
  readonly name: string;
  /** What it waits for, why it failed, or what it was given. */
  readonly detail: string;
  /** Duration, tokens and money, as far as there are any. */
  readonly facts: readonly string[];
}

/** What the line of a row says. */
export function contentOf({ first, repeats }: Row, options: LineOptions): LineContent {
  const content = first.kind === 'frame' ? frameContent(first, options) : refusedContent(first);
  if (repeats.length === 0) return content;
  const name = `${content.name} ×${repeats.length + 1}`;
  if (first.kind === 'refused') return { ...content, name };
  const frames = [first, ...repeats.filter((node) => node.kind === 'frame')];
  return { ...repeatedContent(frames, first.startedAt, options), name };
}

/** What a line says about an approval that is asked for; before the first call there is no frame that asks. */
export function approvalContent({ skill, input, reason }: ApprovalRequest, frame?: string): NameAndDetail {
  const given = shortText(inputText(input), longest);
  const call = [frame === undefined ? 'may it run' : `may it call ${skill}`, given].filter(
    (part) => part !== '',
  );
  const detail = shortText(`${call.join(' ')}? ${reason}`, longestSentence);
  return { name: `${short(frame ?? skill)}:`, detail };
}

/** What the oldest approval is about that a branch waits for. */
export function openAsks({ activities }: Branch): ApprovalRequest | undefined {
  return activities.find(({ question, endedAt }) => question?.asks !== undefined && endedAt === undefined)
    ?.question?.asks;
}

type NameAndDetail = Pick<LineContent, 'name' | 'detail'>;

function frameContent(frame: FrameNode, options: LineOptions): LineContent {
  const { busy, startedAt, endedAt } = frame;
  // Whoever only waits has no clock that ticks as if it worked, and what was reused took no time.
  const hasClock = frame.reused !== true && (busy || endedAt !== undefined);
  const duration = hasClock ? [durationText((endedAt ?? options.now) - startedAt)] : [];
  const facts = [...duration, ...amounts(billOf(frame, options))];
  const status = statusOf(frame, options);
  const asks = openAsks(frame);
  if (asks !== undefined) return { status, busy, ...approvalContent(asks, frame.skill), facts };
  return { status, busy, name: nameOf(frame), detail: short(frameDetail(frame)), facts };
}

/** The skill, and the way into it where that is not its ordinary work. */
function nameOf({ skill, through }: FrameNode): string {
  return through === undefined ? short(skill) : `${short(skill)} (${through})`;
}

function refusedContent({ skill, error }: RefusedNode): LineContent {
  return { status: 'refused', busy: false, name: short(skill), detail: short(errorText(error)), facts: [] };
}

function repeatedContent(
  frames: readonly FrameNode[],
  from: number,
  options: LineOptions,
): Omit<LineContent, 'name'> {
  const failed = frames.filter(({ status }) => status === 'failed').length;
  const to = frames.reduce((latest, { endedAt = from }) => Math.max(latest, endedAt), from);
  const bill = frames.map((frame) => billOf(frame, options)).reduce(addUsage);
  const isReused = frames[0]?.reused === true;
  return {
    status: failed === frames.length ? 'failed' : isReused ? 'reused' : 'done',
    busy: false,
    detail: failed === 0 ? '' : `(${failed} failed)`,
    facts: [...(isReused ? [] : [durationText(to - from)]), ...amounts(bill)],
  };
}

function statusOf({ status, reused }: FrameNode, { isInterrupted }: LineOptions): LineContent['status'] {
  if (reused === true && status === 'done') return 'reused';
  return isInterrupted === true && status === 'running' ? 'interrupted' : status;
}

const longest = 60; // characters
const longestSentence = 200;

function short(text: string): string {
  return shortText(text, longest);
}

function frameDetail({ status, activities, output, input }: FrameNode): string {
  const asked = activities.find(({ question, endedAt }) => question !== undefined && endedAt === undefined);
  if (asked?.question !== undefined) return `asks: ${asked.question.text}`;
  if (output?.status === 'failed') return errorText(output.error);
  return status === 'failed' ? 'cut off' : inputText(input);
}

function errorText({ code, message }: ErrorData): string {
  return `${code}: ${message}`;
}

/** Compact JSON; nothing for an input that says nothing. */
function inputText(input: Json): string {
  const text = JSON.stringify(input);
  return ['null', '{}', '[]', '""'].includes(text) ? '' : text;
}

function billOf({ ownUsage, totalUsage }: FrameNode, { costs }: LineOptions): Usage {
  return costs === 'own' ? ownUsage : totalUsage;
}

function amounts(usage: Usage): readonly string[] {
  const hasTokens = usage.inputTokens + usage.outputTokens > 0;
  return [
    ...(hasTokens ? [tokensText(usage)] : []),
    ...(usage.cost === undefined ? [] : [moneyText(usage.cost)]),
  ];
}

/** Siblings that share a line. */
export interface Row {
  readonly first: TreeNode;
  /** They have ended, have nothing below them and differ from the first in nothing but input and outcome. */
  readonly repeats: readonly TreeNode[];
}

const fewest = 3;

/** Siblings in rows: more than three alike that follow each other share one, all others stand alone. */
export function rowsOf(siblings: readonly TreeNode[]): readonly Row[] {
  const rows: { first: TreeNode; repeats: TreeNode[] }[] = [];
  for (const node of siblings) {
    const last = rows.at(-1);
    if (last !== undefined && isAlike(last.first, node)) last.repeats.push(node);
    else rows.push({ first: node, repeats: [] });
  }
  return rows.flatMap(({ first, repeats }) =>
    repeats.length >= fewest ? [{ first, repeats }] : [first, ...repeats].map(alone),
  );
}

function isAlike(one: TreeNode, other: TreeNode): boolean {
  if (one.skill !== other.skill) return false;
  if (one.kind === 'refused') return other.kind === 'refused' && one.error.code === other.error.code;
  return isFoldable(one) && isFoldable(other) && one.reused === other.reused;
}

function isFoldable(node: TreeNode): node is FrameNode {
  return node.kind === 'frame' && node.leaf && node.endedAt !== undefined && node.children.length === 0;
}

function alone(first: TreeNode): Row {
  return { first, repeats: [] };
}
