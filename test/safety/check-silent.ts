import assert from 'node:assert/strict';
import { outsideText, secrets } from './stage.ts';
import { writtenForms } from './written-forms.ts';

/** Fails if a secret of this process, or a text from outside, appears in any form. */
export function checkSilent(text: string, where: string): void {
  for (const value of [...Object.values(secrets), outsideText])
    for (const form of writtenForms(value)) assert.ok(!text.includes(form), `${value} in ${where}`);
  for (const name of Object.keys(secrets))
    assert.ok(!text.includes(`${name}=`), `${name} is set in ${where}`);
  assert.doesNotMatch(text, /\[redacted/, `something had to be hidden in ${where}`);
}
