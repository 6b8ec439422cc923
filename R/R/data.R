#' Votes in an arena of language models
#'
#' In each row, one of 160 users saw the answers of two of twelve language models and voted for the
#' better one, or for a tie. The data are simulated, so the truth is known.
#'
#' The votes of each user follow Davidson's model with ties, see [bt()], with an order effect: an
#' advantage of the answer that is shown first. Hazel is better by 0.8 in German (25 % of the
#' users), and Birch is worse by 0.8 in Spanish (15 %). Each user also has a taste for each model, a
#' normal number with standard deviation 0.9. Larch and Willow are new: they were shown less often.
#' These are the parameters:
#'
#' | parameter | English | all users | estimated |
#' | :-- | --: | --: | --: |
#' | Maple | 1.60 | 1.60 | 1.29 |
#' | Willow | 1.25 | 1.25 | 1.00 |
#' | Birch | 1.10 | 0.98 | 0.78 |
#' | Hazel | 0.80 | 1.00 | 0.79 |
#' | Alder | 0.35 | 0.35 | 0.28 |
#' | Larch | 0.15 | 0.15 | 0.12 |
#' | Elm | 0.00 | 0.00 | 0.00 |
#' | Juniper | -0.35 | -0.35 | -0.28 |
#' | Oak | -0.65 | -0.65 | -0.53 |
#' | Cedar | -0.90 | -0.90 | -0.73 |
#' | Rowan | -1.50 | -1.50 | -1.21 |
#' | Fir | -1.85 | -1.85 | -1.50 |
#' | order effect | 0.30 | 0.30 | 0.24 |
#' | log(nu) | -0.60 | -0.60 | -0.77 |
#'
#' "English" has the parameters of the simulation for users who read English, without tastes. "all
#' users" has the averages over the users of all languages. "estimated" has what a Bradley-Terry
#' model with ties and an order effect estimates from very many such votes: compare estimates with
#' this column. Its values are about 20 % closer to 0, because the model has no tastes: users
#' disagree, so that the better model wins less often than for a single user. For the same reason,
#' log(nu) is smaller. On average over the users, Hazel and Birch are practically equal. The votes
#' of a user are not independent, so standard errors must be clustered by user.
#'
#' @format A data frame with 3000 rows and 5 columns:
#'   \describe{
#'     \item{user}{The user, a factor with the levels `u001` to `u160`. A user voted between 1 and
#'       94 times.}
#'     \item{language}{The language of the user, a factor: English, German or Spanish.}
#'     \item{first, second}{The models whose answers were shown first and second, factors with the
#'       same levels.}
#'     \item{winner}{`"first"`, `"second"` or `"tie"`.}
#'   }
#' @source Simulated for this package. A few seeds were tried. This one puts the models in the order
#'   of the column "English"; about 1 in 9 samples does. The licence is that of the package. The
#'   Python package has the same data: `pwcstats.datasets.load("arena").frame`.
#' @seealso [bt()], [rank_intervals()]
#' @examples
#' head(arena)
#' table(arena$winner)
#' @examplesIf pwcstats_available()
#'
#' # A leaderboard. The votes of a user are not independent, so they form a cluster.
#' fit <- bt(c(first = 1, tie = 0.5, second = 0)[as.character(winner)], first, second,
#'   data = arena, ties = "davidson", order_effect = TRUE, cluster = user, ref = NA
#' )
#' rank_intervals(fit)
"arena"

#' Battles of language models whose answers differ in length
#'
#' In each row, one of 250 users saw the answers of two of ten language models and voted for the
#' better one, or for a tie. The columns have the names of public arena files. The data are
#' simulated, so the truth is known.
#'
#' The votes of each user follow Davidson's model with ties, see [bt()]. The answer that is shown
#' first has an advantage, and so has the longer answer: 0.8 times the logarithm of the ratio of the
#' lengths is added to the difference of the abilities. Parrot gives answers that are 2.2 times as
#' long as those of the others, and Owl gives answers that are 0.7 times as long. Heron is better by
#' 0.8 in German (25 % of the users), and Raven is worse by 0.8 in Spanish (15 %). Each user also
#' has a taste for each model, a normal number with standard deviation 0.8. Wren is new: it was
#' shown only 5 times, and won 4 times. These are the parameters for users who read English, between
#' answers of the same length:
#'
#' | parameter | value |
#' | :-- | --: |
#' | Owl | 1.00 |
#' | Eagle | 0.80 |
#' | Heron | 0.55 |
#' | Wren | 0.40 |
#' | Parrot | 0.30 |
#' | Raven | 0.20 |
#' | Swan | 0.00 |
#' | Crane | -0.20 |
#' | Finch | -0.50 |
#' | Dove | -0.90 |
#' | order effect | 0.25 |
#' | length effect | 0.80 |
#' | log(nu) | -0.50 |
#'
#' Estimates are about 15 % closer to 0, because the model has no tastes. The votes of a user are
#' not independent, so standard errors must be clustered by user.
#'
#' @format A data frame with 4000 rows and 7 columns:
#'   \describe{
#'     \item{user}{The user, a factor with the levels `u001` to `u250`. A user voted between 1 and
#'       90 times.}
#'     \item{language}{The language of the user, a factor: English, German or Spanish.}
#'     \item{model_a, model_b}{The models whose answers were shown first and second, factors with
#'       the same levels.}
#'     \item{winner}{`"model_a"`, `"model_b"`, `"tie"` or `"tie (bothbad)"`.}
#'     \item{length_a, length_b}{Numbers of words in the two answers.}
#'   }
#' @source Simulated for this package. 25 seeds were tried. With this one, Wren wins most of its
#'   votes, and an analysis that takes the lengths into account puts the other nine models in their
#'   true order, as about 1 in 5 samples does. The licence is that of the package. The Python
#'   package has the same data: `pwcstats.datasets.load("battles").frame`.
#' @seealso [bt()], [rank_intervals()]
#' @examples
#' head(battles)
#' table(battles$winner)
"battles"

#' Citations between four journals of statistics
#'
#' The journal of the row is cited by the journal of the column. A citation counts as a win of the
#' row in a Bradley-Terry model. On the diagonal, journals cite themselves; [bt()] ignores the
#' diagonal.
#'
#' @format A table with 4 rows (`cited`) and 4 columns (`citing`): Biometrika, Communications in
#'   Statistics, the Journal of the American Statistical Association, and the Journal of the Royal
#'   Statistical Society, Series B.
#' @source Stigler (1994), in the excerpt of Agresti (2002, page 448). The numbers are published
#'   facts, which are free to use; please cite the paper. The package \pkg{BradleyTerry2} has the
#'   same table.
#' @references
#' Agresti, A. (2002) *Categorical Data Analysis*, 2nd edition. Wiley, New York.
#'
#' Stigler, S. M. (1994) Citation patterns in the journals of statistics and probability.
#' *Statistical Science* **9**, 94--108.
#' @seealso [bt()]
#' @examples
#' citations
#' @examplesIf pwcstats_available()
#' summary(bt(citations))
"citations"

#' Scores of five classifiers on ten data sets
#'
#' Each data set was split into five folds, twice. All classifiers were fitted and tested on the
#' same splits.
#'
#' The classifiers are those of scikit-learn 1.9.1 with their default parameters. The features were
#' standardized for `svm` and `neighbours`.
#'
#' @format A data frame with 500 rows and 5 columns:
#'   \describe{
#'     \item{method}{The classifier, a factor: `lda` (linear discriminant analysis), `bayes`
#'       (Gaussian naive Bayes), `svm` (support vector machine with a radial kernel), `forest`
#'       (random forest), `neighbours` (five nearest neighbours).}
#'     \item{dataset}{The data set, a factor: breast_cancer, digits, iris, letter, penbased,
#'       satimage, segment, vehicle, vowel, wine.}
#'     \item{repeat}{1 or 2.}
#'     \item{fold}{1 to 5.}
#'     \item{score}{Share of the cases in the fold that were classified correctly, rounded to four
#'       digits.}
#'   }
#' @source Measured for this package with the function `benchmark()` of the Python package. The
#'   licence is that of the package. The Python package has the same scores:
#'   `pwcstats.datasets.load("classifier_scores").frame`.
#' @seealso [compare_methods()], [winners()]
#' @examples
#' with(classifier_scores, tapply(score, list(dataset, method), mean))
#' @examplesIf pwcstats_available()
#'
#' # All data sets, or the folds of one.
#' compare_methods(classifier_scores)
#' compare_methods(subset(classifier_scores, dataset == "vehicle"))
"classifier_scores"

#' Grades of endometrial cancer
#'
#' Histology grade and three risk factors of 79 cases of endometrial cancer. All 13 cases with
#' `NV = 1` have a high grade. `NV` separates the grades (quasi-complete separation), so that the
#' maximum likelihood estimate of its coefficient is infinite.
#'
#' @format A data frame with 79 rows and 4 columns:
#'   \describe{
#'     \item{NV}{Neovascularization: 1 if present, 0 if absent.}
#'     \item{PI}{Pulsatility index of the uterine artery.}
#'     \item{EH}{Height of the endometrium.}
#'     \item{HG}{Histology grade: 1 for a high grade, 0 for a low grade.}
#'   }
#' @source Collected by E. Asseryanis, Medical University of Vienna; published by Heinze and
#'   Schemper (2002). The numbers are published facts, which are free to use; please cite the paper.
#'   The same table is in Agresti (2015) and in the package \pkg{brglm2}.
#' @references
#' Agresti, A. (2015) *Foundations of Linear and Generalized Linear Models*. Wiley, Hoboken.
#'
#' Heinze, G. and Schemper, M. (2002) A solution to the problem of separation in logistic
#' regression. *Statistics in Medicine* **21**, 2409--2419. \doi{10.1002/sim.1047}
#' @seealso [firth()], [detect_separation()]
#' @examples
#' with(endometrial, table(NV, HG))
#' @examplesIf pwcstats_available()
#' detect_separation(HG ~ NV + PI + EH, endometrial)
#' firth(HG ~ NV + PI + EH, endometrial)
"endometrial"
