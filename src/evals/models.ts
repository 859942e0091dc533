import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentOptions, Ports } from '../agent/options.ts';
import { AgentError, createRedactor, reasonOf, secretsIn } from '../core/index.ts';
import { createReplayModel, recordModel, type ModelRecord } from '../models/recording.ts';
import { createScriptedModel, type ScriptedTurn } from '../models/scripted.ts';
import type { Eval, TrialGround } from './eval.ts';

/** The models of a case, and what is to be done once it has ended. */
export interface TrialModels {
  readonly options: Pick<AgentOptions, 'models' | 'offline' | 'retries'>;
  /** Writes what was recorded, if the case has passed. */
  end(isPassed: boolean): void;
}

/** What differs from one start to the next, by what stands for it in a recording or a script. */
type Places = Readonly<Record<string, string>>;

/** Opens what answers as the model; throws `usage.not-found` for a recording that is not there. */
export async function openTrialModels(
  { model }: Pick<Eval, 'model'>,
  { records, folder }: TrialGround,
  { ports, workspace }: { readonly ports: Ports; readonly workspace: string },
): Promise<TrialModels> {
  const places = { '{{workspace}}': workspace, '{{project}}': folder };
  const fixed = { retries: 0, offline: false };
  const redact = createRedactor(secretsIn(ports.environment));
  const nothing = (): void => undefined;
  if (model === undefined) return { options: { offline: true }, end: nothing };
  if ('script' in model)
    return {
      options: { ...fixed, models: createScriptedModel(spellPlaces(model.script, places)) },
      end: nothing,
    };
  if (records === undefined)
    return {
      options: { ...fixed, models: createReplayModel(readRecording(model.recording, places), { redact }) },
      end: nothing,
    };
  const source = await ports.openModels(records, folder);
  const made: ModelRecord[] = [];
  const isNew = !existsSync(model.recording);
  if (isNew) writeRecording(model.recording, made, places); // a skill may name its files to the model, this one too
  const recorded = (name: string): ReturnType<typeof source.model> => {
    const asked = source.model(name);
    return asked && recordModel(asked, (record) => void made.push(record), { redact });
  };
  return {
    options: { models: { model: recorded } },
    end: (isPassed) => {
      if (isPassed) writeRecording(model.recording, made, places);
      else if (isNew) rmSync(model.recording);
    },
  };
}

function spellPlaces(script: readonly ScriptedTurn[], places: Places): readonly ScriptedTurn[] {
  return JSON.parse(putPlaces(JSON.stringify(script), places)) as readonly ScriptedTurn[];
}

function readRecording(file: string, places: Places): string {
  try {
    return putPlaces(readFileSync(file, 'utf8'), places);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `The recording cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'Make it with a model that is configured: `skilled test --record`',
      cause: thrown,
    });
  }
}

function writeRecording(file: string, records: readonly ModelRecord[], places: Places): void {
  let text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  for (const [mark, path] of Object.entries(places)) text = text.replaceAll(quoted(path), mark);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function putPlaces(json: string, places: Places): string {
  let text = json;
  for (const [mark, path] of Object.entries(places)) text = text.replaceAll(mark, quoted(path));
  return text;
}

/** As it stands inside of a JSON text. */
function quoted(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
