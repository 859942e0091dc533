import { parseJson, type Json } from '../core/json.ts';
import { areTexts } from './are-texts.ts';
import { codeFailures, type FromWorker } from './code-wire.ts';

/** A line of the process that calls functions of skills, believed in nothing: undefined for all that it does not say. */
export function readCodeMessage(line: string): FromWorker | undefined {
  const said = parseJson(line);
  return Array.isArray(said) && isMessage(said as readonly Json[])
    ? (said as unknown as FromWorker)
    : undefined;
}

function isMessage([kind, run, ...rest]: readonly Json[]): boolean {
  if (kind === 'ready') return run === undefined;
  if (!Number.isSafeInteger(run)) return false;
  const [first, second, third, fourth] = rest;
  switch (kind) {
    case 'loaded':
      return rest.length === 0;
    case 'call':
      return rest.length === 3 && Number.isSafeInteger(first) && areTexts(second) && Array.isArray(third);
    case 'value':
      return rest.length === 2 && typeof first === 'boolean';
    case 'failed':
      return (
        rest.length === 4 &&
        typeof first === 'boolean' &&
        codeFailures.some((known) => known === second) &&
        areTexts(third, fourth)
      );
    default:
      return false;
  }
}
