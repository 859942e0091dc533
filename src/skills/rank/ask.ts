const verbs =
  'add|analy[sz]e|apply|ask|audit|automate|build|calculate|change|check|clean|collect|compare|compute|configure|' +
  'convert|create|debug|deploy|design|detect|determine|develop|diagnose|document|download|draft|edit|enable|' +
  'estimate|evaluate|explain|explore|export|extract|fetch|fill|find|fix|format|generate|get|give|have|identify|' +
  'implement|import|improve|install|integrate|investigate|launch|list|look|make|manage|measure|merge|migrate|mine|' +
  'monitor|move|optimi[sz]e|organi[sz]e|parse|plan|plot|port|post|predict|prepare|produce|profile|pull|read|' +
  'rebuild|recommend|record|refactor|remove|render|replace|reproduce|research|resolve|review|rewrite|run|save|scan|' +
  'schedule|score|search|send|set|show|simplify|simulate|solve|sort|start|suggest|summari[sz]e|tell|test|track|' +
  'train|transcribe|transform|translate|turn|update|upgrade|use|validate|verify|visuali[sz]e|walk|write';
const imperative = new RegExp(
  `^[-*\\d.)#\\s]*(?:(?:task|goal|objective|todo)\\s*:\\s*)?(?:${verbs})\\b`,
  'i',
);
const wish =
  /\?\s*$|\b(?:help|please|can you|could you|would you|(?:i|we)(?:['’]d| would)? (?:want|need|like|have to)|(?:i['’]m|we['’]re|i am|we are) (?:trying|looking)|how (?:do|can|should|would|to)|what (?:should|is the best|are)|should (?:i|we)|let['’]s|your (?:task|goal|job)|you (?:need|must|should)|the (?:goal|task|objective) is)\b/i;
const longestAsk = 600;

/** The sentences of a prompt that ask for something, apart from what they tell about the situation. */
export function askOf(prompt: string): string {
  const sentences = prompt
    .replace(/```[^]*?(?:```|$)/g, ' ')
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 2);
  const asking = sentences.filter((sentence) => wish.test(sentence) || imperative.test(sentence));
  const chosen = asking.length === 0 ? sentences.slice(0, 2) : asking;
  const [first = '', ...others] = chosen;
  let ask = first;
  for (const sentence of others) {
    if (ask.length + sentence.length > longestAsk) break;
    ask += ` ${sentence}`;
  }
  return ask.slice(0, longestAsk);
}

const ownMatter = /\b(?:we|our|ours|us|my|i['’](?:m|ve)|i have)\b/i;
const artefact =
  /`|[\w-]\/[\w./-]|\b\w+\.(?:[a-z]{1,4}|json|yaml|html|docx|pptx|xlsx|csproj)\b|[a-z][A-Z]|_\w|--\w|\w#|\d\.\d/;
const question =
  /^\s*(?:what|why|who|which|when|where|how|is|are|was|were|does|do|did|can|if|name|have|has|should)\b/i;

/** Whether a prompt asks about the world and not about anything that the asker has or works on. */
export function isGeneralQuestion(prompt: string): boolean {
  return question.test(prompt) && !ownMatter.test(prompt) && !artefact.test(prompt);
}
