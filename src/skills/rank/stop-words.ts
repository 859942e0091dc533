/** English words that say nothing about what a skill does, and the words every request and every skill shares. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both ' +
    'but by can could d did do does doing don down during each else etc few for from further get gets got had has ' +
    'have having he help her here hers him his how i if in into is it its itself just let like ll m make me might ' +
    'more most must my myself need needs no nor not now of off on once only or other our ours out over own please ' +
    're s same shall she should skill skills so some such t than that the their theirs them then there these they ' +
    'this those through to too under until up us use used user uses using ve very want wants was we were what when ' +
    'where whether which while who whom why will with within without would you your yours'
  ).split(' '),
);
