import type { JsonObject } from '../../core/json.ts';

/** What the head of a subagent file may say, by the names this project writes. */
export interface SubagentSettings {
  readonly name?: string;
  readonly description?: string;
  /** Absent: the default set; empty: none; else exactly these. */
  readonly tools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly skills?: readonly string[];
  /** Files and folders with skills of its own, relative to the file. */
  readonly skillPath?: readonly string[];
  readonly skillInjection?: 'full' | 'light';
  readonly systemPromptMode?: 'replace' | 'append';
  readonly inheritProjectContext?: boolean;
  readonly inheritSkills?: boolean;
  readonly model?: string;
  readonly thinking?: string;
  readonly maxSubagentDepth?: number;
  readonly timeoutMs?: number;
  readonly defaultContext?: 'fresh' | 'fork';
  /** A file for its answer; an output schema is on the card instead. */
  readonly output?: string;
}

/** A subagent with its defaults filled in. */
export interface SubagentDefinition extends Omit<SubagentSettings, 'name' | 'description'> {
  readonly systemPrompt: () => string;
  readonly skillInjection: 'full' | 'light';
  readonly systemPromptMode: 'replace' | 'append';
  readonly inheritProjectContext: boolean;
  readonly inheritSkills: boolean;
  /** Every other key of the head, under its written name. */
  readonly extra: JsonObject;
}
