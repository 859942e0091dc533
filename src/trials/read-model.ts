import { isJsonObject, type Json } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import type { ScriptedTurn } from '../models/scripted.ts';
import { itemsIn, memberOf, objectIn, textIn, type Part } from './part.ts';
import type { TrialModel } from './trial.ts';

/** What stands under `model`: the turns of a script, or a file of recorded answers. */
export function readModel(part: Part, resolve: (part: Part) => string): TrialModel {
  objectIn(part, ['script', 'recording']);
  const script = memberOf(part, 'script', (turns) => itemsIn(turns).map(readTurn));
  const recording = memberOf(part, 'recording', resolve);
  if ((script === undefined) === (recording === undefined))
    part.wrong('must have either "script" or "recording".');
  return script === undefined ? { recording: recording ?? '' } : { script };
}

function readTurn(part: Part): ScriptedTurn {
  if (!isJsonObject(part.value)) return textIn(part);
  objectIn(part, ['text', 'json', 'calls']);
  const json = memberOf(part, 'json', ({ value }) => JSON.stringify(value));
  return {
    ...optional('text', json ?? memberOf(part, 'text', textIn)),
    ...optional(
      'calls',
      memberOf(part, 'calls', (calls) => itemsIn(calls).map(readCall)),
    ),
  };
}

function readCall(part: Part): { readonly name: string; readonly input: Json } {
  objectIn(part, ['name', 'input']);
  return { name: textIn(part.at('name')), input: memberOf(part, 'input', ({ value }) => value) ?? {} };
}
