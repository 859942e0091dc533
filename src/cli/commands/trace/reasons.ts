import { durationText } from '../../../views/text.ts';
import type { Reason } from '../../../views/why.ts';
import { oneLine, wrapTo } from '../../output/text.ts';

/** Decisions in lines. Pure. */
export function reasonLines(
  reasons: readonly Reason[],
  startedAt: number,
  width: number | undefined,
): readonly string[] {
  if (reasons.length === 0) return ['Nothing was decided yet.'];
  const timeWidth = Math.max(...reasons.map((reason) => timeOf(reason, startedAt).length));
  return reasons.flatMap((reason) => linesOf(reason, startedAt, timeWidth, width));
}

const usualTime = 8; // columns

/** One decision in lines, before it is known which others come. Pure. */
export function reasonAlone(reason: Reason, startedAt: number, width: number | undefined): readonly string[] {
  return linesOf(reason, startedAt, usualTime, width);
}

const narrowest = 20;

/** When since the start, where, and what; in as many lines as the width asks for. */
function linesOf(
  reason: Reason,
  startedAt: number,
  timeWidth: number,
  width: number | undefined,
): readonly string[] {
  const where = reason.path.length === 0 ? '' : `${oneLine(reason.path.join(' › '))}: `;
  const said = `${where}${oneLine(reason.text)}`;
  const room = width === undefined ? undefined : Math.max(narrowest, width - timeWidth - 2);
  const lines = room === undefined ? [said] : wrapTo(said.split(' '), ' ', room);
  const time = timeOf(reason, startedAt);
  return lines.map((line, index) => `${(index === 0 ? time : '').padStart(timeWidth)}  ${line}`);
}

function timeOf({ at }: Reason, startedAt: number): string {
  return durationText(at - startedAt);
}
