import { isJsonObject, type JsonObject } from '../core/json.ts';
import { areTexts } from './are-texts.ts';
import { failureKinds, type FromIsolate } from './snippet-wire.ts';

/** A line of the process that runs snippets, believed in nothing: undefined for all that it does not say. */
export function readMessage(line: string): FromIsolate | undefined {
  try {
    const said: unknown = JSON.parse(line);
    return isJsonObject(said) && isMessage(said) ? (said as unknown as FromIsolate) : undefined;
  } catch {
    return undefined; // not even JSON
  }
}

function isMessage(said: JsonObject): boolean {
  const { ready, unavailable, call, name, given, value, failed, log } = said;
  if (ready === true || typeof unavailable === 'string') return true;
  if (call !== undefined) return areTexts(name, given) && Number.isSafeInteger(call);
  return areTexts(log) && (failed === undefined ? areTexts(value) : isFailure(failed));
}

function isFailure(failed: unknown): boolean {
  if (!isJsonObject(failed)) return false;
  const { kind, message, line } = failed;
  const isKnown = failureKinds.some((known) => known === kind);
  return isKnown && areTexts(message ?? '') && Number.isSafeInteger(line ?? 0);
}
