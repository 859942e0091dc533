import { addUsage, type ApprovalRequest, type ErrorData, type Json, type Usage } from '../core/index.ts';
import type { Branch, FrameNode, RefusedNode, TreeNode } from './run-node.ts';
import { durationText, moneyText, shortText, tokensText } from './text.ts';

/** Options for writing a line. */
export interface LineOptions {
  /**
   * The current time, in milliseconds since the Unix epoch. Unfinished calls and activities are shown as
   * lasting until then.
   */
  readonly now: number;
  /**
   * Whether the usage in a line includes the usage of nested calls (`total`) or not (`own`). Default:
   * `total`.
   */
  readonly costs?: 'total' | 'own';
  /** Whether no process is working on the run any more. The log does not record this. */
  readonly isInterrupted?: boolean;
}

/** The content of a line for a call, for several similar calls, or for a note, artifact or step of a call. */
export interface LineContent {
  readonly status: FrameNode['status'] | 'refused' | 'interrupted' | 'reused' | 'note' | 'artifact';
  /** Whether the call itself is working, rather than waiting for the calls that it made. */
  readonly busy: boolean;
  /** The skill's name, and the number of calls if there are several. */
  readonly name: string;
  /** The question that the call is waiting on, the reason for its failure, or its input. */
  readonly detail: string;
  /** The duration, the tokens and the cost, where applicable. */
  readonly facts: readonly string[];
}

/** Returns the content of a row's line. */
export function contentOf({ first, repeats }: Row, options: LineOptions): LineContent {
  const content = first.kind === 'frame' ? frameContent(first, options) : refusedContent(first);
  if (repeats.length === 0) return content;
  const name = `${content.name} ×${repeats.length + 1}`;
  if (first.kind === 'refused') return { ...content, name };
  const frames = [first, ...repeats.filter((node) => node.kind === 'frame')];
  return { ...repeatedContent(frames, first.startedAt, options), name };
}

/**
 * Returns the content of an approval request's line. `frame` is the calling skill, which is absent for the
 * first call.
 */
export function approvalContent({ skill, input, reason }: ApprovalRequest, frame?: string): NameAndDetail {
  const given = shortText(inputText(input), longest);
  const call = [frame === undefined ? 'may it run' : `may it call ${skill}`, given].filter(
    (part) => part !== '',
  );
  const detail = shortText(`${call.join(' ')}? ${reason}`, longestSentence);
  return { name: `${short(frame ?? skill)}:`, detail };
}

/** Returns the oldest approval request of a branch, or undefined. */
export function openAsks({ activities }: Branch): ApprovalRequest | undefined {
  return activities.find(({ question, endedAt }) => question?.asks !== undefined && endedAt === undefined)
    ?.question?.asks;
}

type NameAndDetail = Pick<LineContent, 'name' | 'detail'>;

function frameContent(frame: FrameNode, options: LineOptions): LineContent {
  const { busy, startedAt, endedAt } = frame;
  // Omit the duration of a frame that is only waiting, and of a reused frame, which took no time.
  const hasClock = frame.reused !== true && (busy || endedAt !== undefined);
  const duration = hasClock ? [durationText((endedAt ?? options.now) - startedAt)] : [];
  const facts = [...duration, ...amounts(billOf(frame, options))];
  const status = statusOf(frame, options);
  const asks = openAsks(frame);
  if (asks !== undefined) return { status, busy, ...approvalContent(asks, frame.skill), facts };
  return { status, busy, name: nameOf(frame), detail: short(frameDetail(frame)), facts };
}

/** Returns the skill's name, followed by the call mode if it is not a normal call. */
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

const longest = 60; // The maximum number of characters of a detail.
const longestSentence = 200;

function short(text: string): string {
  return shortText(text, longest);
}

function frameDetail({ status, activities, output, input }: FrameNode): string {
  const asked = activities.find(({ question, endedAt }) => question !== undefined && endedAt === undefined);
  if (asked?.question !== undefined) return `asks: ${asked.question.text}`;
  if (output?.status === 'failed') return errorText(output.error);
  return status === 'failed' ? 'interrupted' : inputText(input);
}

function errorText({ code, message }: ErrorData): string {
  return `${code}: ${message}`;
}

/** Returns the input as compact JSON, or an empty string if the input is empty. */
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

/** A node, or several similar siblings that share one line. */
export interface Row {
  readonly first: TreeNode;
  /**
   * Calls that have ended and made no calls themselves. They differ from the first call only in input and
   * outcome.
   */
  readonly repeats: readonly TreeNode[];
}

const fewest = 3;

/** Groups siblings into rows. More than three similar siblings in a row share one line. */
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
