import { resolve } from 'node:path';
import { describeIssue } from '../../doctor/diagnostics.ts';
import { validatePaths, validateRoots } from '../../doctor/validate.ts';
import type { Command } from '../command.ts';
import { openAgent } from '../open-agent.ts';
import { issueJson, printJson } from '../output/json.ts';

/** `skilled validate`: findings per descriptor, exit 3 when one has errors. */
export const validate: Command = {
  summary: 'Check descriptors with the functions that load them.',
  usage: `Usage: skilled validate [path...] [--strict] [--json]

Without a path, everything that "skilled list" looks at is checked.
  --strict          what the Agent Skills standard forbids is an error`,
  options: { strict: { type: 'boolean' } },
  async run({ flags, own, words, terminal }) {
    const agent = await openAgent(flags);
    const options = { families: agent.families, limits: agent.limits, strict: own['strict'] === true };
    const roots = agent.roots().filter((root) => root.source !== 'bundled');
    const results = words.length === 0 ? validateRoots(roots, options) : validatePaths(words.map((path) => resolve(flags.cwd, path)), options);
    const invalid = results.filter((result) => !result.valid).length;
    if (flags.json) {
      printJson(terminal, { ok: invalid === 0, results: results.map((result) => ({ ...result, issues: result.issues.map((issue) => issueJson(issue)) })) });
    } else {
      for (const { path, valid, issues } of results) {
        terminal.out(`${valid ? 'valid  ' : 'invalid'}  ${path}\n`);
        for (const issue of issues) if (issue.level !== 'info' || !flags.quiet) terminal.out(`  ${describeIssue(issue)}\n`);
      }
      if (!flags.quiet) terminal.err(results.length === 0 ? 'There is nothing to validate here. Name a folder of skills.\n' : `${results.length - invalid} valid, ${invalid} invalid.\n`);
    }
    await agent.shutdown();
    return invalid === 0 ? 0 : 3;
  },
};
