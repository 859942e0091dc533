import type { ErrorData } from '../core/error.ts';
import { isJsonObject } from '../core/json.ts';

/** Whether the same request may succeed when it is made again: `details.passing` decides where it is there, else the code. Pure. */
export function isPassing({ code, details }: ErrorData): boolean {
  if (isJsonObject(details) && typeof details['passing'] === 'boolean') return details['passing'];
  return code === 'model.busy' || code === 'model.timeout';
}
