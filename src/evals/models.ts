import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentOptions, Ports } from '../agent/options.ts';
import { AgentError, createRedactor, reasonOf, secretsIn } from '../core/index.ts';
import { createReplayModel, recordModel, type ModelRecord } from '../models/recording.ts';
import { createScriptedModel, type ScriptedTurn } from '../models/scripted.ts';
import type { Eval, EvalContext } from './eval.ts';

/** The models for an eval, with a function that ends the recording of their responses. */
export interface EvalModels {
  readonly options: Pick<AgentOptions, 'models' | 'offline' | 'retries'>;
  /** Ends the recording. Discards the recording if the eval failed. */
  end(isPassed: boolean): void;
}

/** Paths that differ between runs, keyed by their placeholders in recordings and scripts. */
type Substitutions = Readonly<Record<string, string>>;

/** Opens the models for an eval. Throws `usage.not-found` if the recording does not exist. */
export async function openEvalModels(
  { model }: Pick<Eval, 'model'>,
  { records, folder }: EvalContext,
  { ports, workspace }: { readonly ports: Ports; readonly workspace: string },
): Promise<EvalModels> {
  const substitutions = { '{{workspace}}': workspace, '{{project}}': folder };
  const fixed = { retries: 0, offline: false };
  const redact = createRedactor(secretsIn(ports.environment));
  const nothing = (): void => undefined;
  if (model === undefined) return { options: { offline: true }, end: nothing };
  if ('script' in model)
    return {
      options: { ...fixed, models: createScriptedModel(fillScript(model.script, substitutions)) },
      end: nothing,
    };
  if (records === undefined)
    return {
      options: {
        ...fixed,
        models: createReplayModel(readRecording(model.recording, substitutions), { redact }),
      },
      end: nothing,
    };
  const source = await ports.openModels(records, folder);
  const newRecords: ModelRecord[] = [];
  const isNew = !existsSync(model.recording);
  // The file must exist from the start, because requests to the model may contain a list of the skill's
  // files.
  if (isNew) writeRecording(model.recording, newRecords, substitutions);
  const recorded = (name: string): ReturnType<typeof source.model> => {
    const asked = source.model(name);
    return asked && recordModel(asked, (record) => void newRecords.push(record), { redact });
  };
  return {
    options: { models: { model: recorded } },
    end: (isPassed) => {
      if (isPassed) writeRecording(model.recording, newRecords, substitutions);
      else if (isNew) rmSync(model.recording);
    },
  };
}

function fillScript(script: readonly ScriptedTurn[], substitutions: Substitutions): readonly ScriptedTurn[] {
  return JSON.parse(substitute(JSON.stringify(script), substitutions)) as readonly ScriptedTurn[];
}

function readRecording(file: string, substitutions: Substitutions): string {
  try {
    return substitute(readFileSync(file, 'utf8'), substitutions);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `The recording cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'Record it with a configured model: `skilled test --record`',
      cause: thrown,
    });
  }
}

function writeRecording(file: string, records: readonly ModelRecord[], substitutions: Substitutions): void {
  let text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  for (const [mark, path] of Object.entries(substitutions)) text = text.replaceAll(quoted(path), mark);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function substitute(json: string, substitutions: Substitutions): string {
  let text = json;
  for (const [mark, path] of Object.entries(substitutions)) text = text.replaceAll(mark, quoted(path));
  return text;
}

/** Escapes a path for use inside a JSON string. */
function quoted(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
