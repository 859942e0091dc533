import {
  isAssistant,
  optional,
  shownSkillName,
  type ApprovalRequest,
  type ApprovalRequested,
  type InputRequested,
  type OpenQuestion,
  type Usage,
} from '../core/index.ts';

/** Formats a duration for display: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100));
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, 's');
  return withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, 'min');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

/** Formats the sum of input and output tokens: `2,310 tok`. */
export function tokensText({ inputTokens, outputTokens }: Usage): string {
  return `${(inputTokens + outputTokens).toLocaleString('en-US')} tok`;
}

/** Formats US dollars, rounded to the cent. Amounts below half a cent are shown as `<$0.01`. */
export function moneyText(dollars: number): string {
  return dollars > 0 && dollars < 0.005 ? '<$0.01' : `$${dollars.toFixed(2)}`;
}

/**
 * Returns the question that an event asks the user. `path` contains the names of the skills down to the frame
 * that asks.
 */
export function askedQuestion(
  event: InputRequested | ApprovalRequested,
  path: readonly string[],
): OpenQuestion {
  const { id } = event;
  if (event.type === 'input.requested') return { ...event.question, id, kind: 'input', path };
  const asks = shownRequest(event.asks);
  return { text: approvalText(asks), id, kind: 'approval', path, asks };
}

/** Returns an approval request from a log with the current names of its skills. */
export function shownRequest({ caller, skill, ...rest }: ApprovalRequest): ApprovalRequest {
  const by = caller === undefined ? undefined : shownSkillName(caller);
  return { ...rest, skill: shownSkillName(skill), ...optional('caller', by) };
}

/** Describes an approval request in one sentence. */
export function approvalText(asks: ApprovalRequest): string {
  const { caller, skill, reason } = shownRequest(asks);
  if (asks.caller !== undefined && isAssistant(asks.caller))
    return `The assistant wants to call "${skill}": ${reason}`;
  return caller === undefined
    ? `The call to "${skill}" needs approval: ${reason}`
    : `"${caller}" wants to call "${skill}": ${reason}`;
}

/** Puts text on one line and shortens it to `length` characters. Shortened text ends with an ellipsis. */
export function shortText(text: string, length: number): string {
  const line = text.replace(/[\s\u0085]+/g, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * length + 2)); // A character has one or two code units.
  if (characters.length <= length) return line;
  return `${characters.slice(0, Math.max(0, length - 1)).join('')}…`;
}
