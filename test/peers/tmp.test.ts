import { test } from 'node:test';
import { agentWith, done, flowFamily, flowsIn, flowText } from '../support/kernel.ts';
import { tree } from '../support/tree.ts';
import { leaf } from '../support/loop-stage.ts';
test('x', async () => {
  using files = tree({ 'skills/report/FLOW.md': flowText('report', 'from the flow') });
  const agent = agentWith({ report: leaf(() => done('from the function')), top: { run: async (_i, scope) => {
    const l = scope.callable.filter(({name}) => name.includes('report'));
    const outs = [];
    for (const s of l) for (const n of [s.name, ...s.aliases]) outs.push([n, (await scope.call(n, 'x')).text]);
    return done(JSON.stringify([l.map(({name, family, aliases, status}) => [name, family, aliases, status]), outs], null, 1)); } },
   named: { allowedSkills: ['report', 'report-function', 'report-flow'], run: async (_i, scope) => done(JSON.stringify(scope.callable.map(({name, family, aliases}) => [name, family, aliases]))) } }, flowsIn(files.path, flowFamily()));
  console.log((await agent.run({ skill: 'top' }).result).text);
  console.log((await agent.run({ skill: 'named' }).result).text);
});
