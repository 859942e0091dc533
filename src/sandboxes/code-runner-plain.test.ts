import { codeContract } from '../../test/support/code-contract.ts';
import { createPlainSandboxes } from './plain.ts';

codeContract('plain', createPlainSandboxes());
