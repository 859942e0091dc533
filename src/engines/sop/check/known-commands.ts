import type { SopCommand, SopCommands } from '../command.ts';
import { createSuggestions } from './create-suggestions.ts';
import { indexCommands } from './index-commands.ts';
import { readIntake, type Intake } from './read-intake.ts';

/** A command and how it takes its arguments. */
export interface KnownCommand {
  readonly command: SopCommand;
  readonly intake: Intake;
  /** Offers the nearest name of an argument. */
  suggestPlace(name: string): string | undefined;
}

/** The commands of one check. */
export interface KnownCommands {
  find(name: string): KnownCommand | undefined;
  suggest(name: string): string | undefined;
  names(): readonly string[];
}

/** Looks each command up once per check. */
export function createKnownCommands(commands: SopCommands): KnownCommands {
  const index = indexCommands(commands);
  const known = new Map<string, KnownCommand | undefined>();
  let names: readonly string[] | undefined;
  return {
    find(name) {
      if (!known.has(name)) {
        const command = index.find(name);
        known.set(name, command === undefined ? undefined : knownFrom(command));
      }
      return known.get(name);
    },
    suggest: createSuggestions(() => index.names()),
    names: () => (names ??= [...index.names()]),
  };
}

function knownFrom(command: SopCommand): KnownCommand {
  const intake = readIntake(command);
  const names = intake.kind === 'places' ? [...intake.places.keys()] : [];
  return { command, intake, suggestPlace: createSuggestions(() => names) };
}
