import type { LaterCase } from '../case.ts';

const rendering = 'agent-skill';

/** What cannot be shown before a family runs its skills: the text of an Agent Skill is rendered, and its commands run, when it is called. */
export const laterCases: readonly LaterCase[] = [
  { id: 'P01', what: 'prose with an exclamation mark in code runs nothing', needs: rendering },
  { id: 'P02', what: 'a table of types such as Float! runs nothing', needs: rendering },
  { id: 'P03', what: 'an argument of dynamic context is one literal word', needs: rendering },
  { id: 'P04', what: 'substitutions, quotes and newlines in arguments are inert', needs: rendering },
  { id: 'P05', what: 'dynamic context in an argument is literal', needs: rendering },
  { id: 'P06', what: 'the output of a command is not scanned again', needs: rendering },
  { id: 'P07', what: 'with shell execution disabled nothing runs, and the error says so', needs: rendering },
  { id: 'P17', what: 'variables in a body stay literal', needs: rendering },
  { id: 'P28', what: 'an empty list for the preparation means no tools', needs: 'orchestrator' },
  { id: 'P30', what: 'values and fields of a table are no SQL', needs: 'table' },
];
