// Results in the language of the page from which the search was started come first.
var Scorer = {
  score: (result) => {
    const isChinese = document.documentElement.lang === "zh-CN";
    return result[4] + (result[0].endsWith(".zh-CN") === isChinese ? 100 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
