import type { ErrorData } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import { addUsage } from '../core/model.ts';
import type { Usage } from '../core/model.ts';
import { durationText, moneyText, tokensText } from './amounts.ts';
import type { Row } from './repeats.ts';
import type { FrameNode, RefusedNode } from './run-node.ts';
import { shortText } from './short-text.ts';

/** How a line is to be written. */
export interface LineOptions {
  /** Milliseconds since 1970, for what has not ended. */
  readonly now: number;
  /** Whether a line also counts what its calls used; `total` unless given. */
  readonly costs?: 'total' | 'own';
}

/** What a line says about a call, or about several that are alike. */
export interface LineContent {
  readonly status: FrameNode['status'] | 'refused';
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

function frameContent(frame: FrameNode, options: LineOptions): LineContent {
  const { status, busy, startedAt, endedAt } = frame;
  // Whoever only waits has no clock that ticks as if it worked.
  const duration = busy || endedAt !== undefined ? [durationText((endedAt ?? options.now) - startedAt)] : [];
  const facts = [...duration, ...amounts(billOf(frame, options))];
  return { status, busy, name: short(frame.skill), detail: short(frameDetail(frame)), facts };
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
  return {
    status: failed === frames.length ? 'failed' : 'done',
    busy: false,
    detail: failed === 0 ? '' : `(${failed} failed)`,
    facts: [durationText(to - from), ...amounts(bill)],
  };
}

const longest = 60; // characters

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
