import { defineFamily } from '../../core/family.ts';
import { buildAdHoc } from './build-ad-hoc.ts';
import type { OrchestratorDefinition } from './definition.ts';
import { execute } from './execute.ts';
import { parse } from './parse.ts';
import { template } from './template.ts';

/** Skills that reach a goal by calling other skills, in a loop or by a plan. */
export const orchestrator = defineFamily<OrchestratorDefinition>({
  id: 'orchestrator',
  descriptor: { file: 'oskill.md' },
  label: 'Orchestrator',
  purpose: 'reaches a goal through other skills',
  firstWords: 'What is this project about?',
  template,
  parse,
  adHoc: buildAdHoc,
  execute,
});
