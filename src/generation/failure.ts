import { rmSync } from 'node:fs';
import { isErrorCode, type ErrorData } from '../core/error.ts';
import { isJsonObject, parseJson, type Json } from '../core/json.ts';
import { optional } from '../core/collections.ts';
import { makePlace, notWritable, placeOf } from './generation-place.ts';
import { readSmallFile } from './read-small-file.ts';
import { writeWholeFile } from './write-whole-file.ts';
import type { GenerationPlan } from './plan-generation.ts';

/** A generation that came to nothing. */
export interface GenerationFailure {
  /** What it was tried with: it is not tried again by itself until that changes. */
  readonly inputs: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly runId: string;
  readonly error: ErrorData;
}

const mostBytes = 16_000_000;

/** The failure that is remembered for a skill, if any. Never throws. */
export function readFailure(dir: string): GenerationFailure | undefined {
  const read = readSmallFile(placeOf(dir).failure, mostBytes);
  if (read === undefined || 'fault' in read) return undefined;
  return toFailure(parseJson(read.bytes.toString('utf8')));
}

/** The failure that is remembered for exactly what a plan would make, if any. Never throws. */
export function failureOf(
  dir: string,
  { inputs }: Pick<GenerationPlan, 'inputs'>,
): GenerationFailure | undefined {
  const failure = readFailure(dir);
  return failure?.inputs === inputs ? failure : undefined;
}

/** Remembers a failure until the next success. Throws `skill.failed` where nothing can be written. */
export function writeFailure(dir: string, { inputs, at, runId, error }: GenerationFailure): void {
  const place = placeOf(dir);
  makePlace(place);
  try {
    writeWholeFile(place.failure, `${JSON.stringify({ version: 1, inputs, at, runId, error }, null, 2)}\n`);
  } catch (thrown) {
    throw notWritable(place.bundle, place.folder, thrown);
  }
}

/** Forgets the failure of a skill; does nothing where none is remembered. */
export function clearFailure(dir: string): void {
  const { bundle, failure, folder } = placeOf(dir);
  try {
    rmSync(failure, { force: true });
  } catch (thrown) {
    throw notWritable(bundle, folder, thrown);
  }
}

function toFailure(json: Json | undefined): GenerationFailure | undefined {
  if (!isJsonObject(json) || json['version'] !== 1) return undefined;
  const { inputs, at, runId } = json;
  const error = toError(json['error']);
  if (typeof inputs !== 'string' || typeof at !== 'number' || typeof runId !== 'string') return undefined;
  if (error === undefined || Number.isNaN(new Date(at).getTime())) return undefined;
  return { inputs, at, runId, error };
}

function toError(json: Json | undefined): ErrorData | undefined {
  if (!isJsonObject(json)) return undefined;
  const { code, message, hint, details } = json;
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  if (hint !== undefined && typeof hint !== 'string') return undefined;
  return { code, message, ...optional('hint', hint), ...optional('details', details) };
}
