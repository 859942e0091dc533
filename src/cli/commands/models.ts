import { checkModels, type ModelCheck } from '../../config/models/open-models.ts';
import { machineFor } from '../../config/models/find-models.ts';
import { reportModels } from '../../config/models/report.ts';
import type { Command } from '../command.ts';
import { chosenModels, modelFlags, modelFlagsHelp, modelSources } from '../model-flags.ts';
import { mustBeFolder } from '../must-be-folder.ts';
import { printJson } from '../output/json.ts';
import { checkLines, modelLines } from './models/lines.ts';

/** `skilled models`: what was found, what is used for what, and with `--check` whether it answers. */
export const models: Command = {
  summary: 'Show which models were found and what each is used for.',
  usage: `Usage: skilled models [--check] [flags]

Looks for keys in the environment and in the .env of a trusted project, and for servers
of this machine at their usual ports. No key is ever printed.

  skilled models --check --model ollama/llama3.2

  --check               ask each model one small thing; exit 6 when one fails
${modelFlagsHelp}`,
  options: { check: { type: 'boolean' }, ...modelFlags },
  async run(invocation) {
    const { flags, own, terminal } = invocation;
    mustBeFolder(flags.cwd, '--cwd');
    const options = chosenModels(invocation);
    const machine = machineFor(flags.safe ? undefined : flags.cwd);
    const report = await reportModels(modelSources(invocation), machine);
    const { offline, uses } = report;
    if (!flags.json) terminal.out(modelLines(report, terminal));
    const names = [...new Set(uses.flatMap((use) => use.models))];
    const mayCheck = own['check'] === true && !offline;
    if (mayCheck && !flags.json && !flags.quiet) terminal.progress('asking …');
    const checks: readonly ModelCheck[] = mayCheck ? await checkModels(names, options, machine) : [];
    const ok = checks.every((check) => check.ok) && !(mayCheck && names.length === 0);
    if (flags.json) printJson(terminal, { ok, ...report, ...(mayCheck ? { checks } : {}) });
    else if (mayCheck) terminal.out(checkLines(checks, terminal));
    return ok ? 0 : 6;
  },
};
