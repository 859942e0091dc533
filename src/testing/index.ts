export { familyContract, type FamilyFixtures } from './family-contract.ts';
