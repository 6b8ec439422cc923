# What logistf (1.26.1) says about tests between fits, FLIC, FLAC and other weights of the penalty.
# Usage: Rscript logistf.R out.json. The checks do not run it, because Debian has no logistf.
suppressPackageStartupMessages({
  library(jsonlite)
  library(logistf)
})
data(endometrial, package = "brglm2")
control <- logistf.control(maxit = 5000, lconv = 1e-10, gconv = 1e-10, xconv = 1e-10)
plcontrol <- logistpl.control(maxit = 5000, lconv = 1e-9, xconv = 1e-9)
formula <- HG ~ NV + PI + EH
weight <- rep(c(1, 2, 3), length.out = nrow(endometrial))
weighted <- transform(endometrial, weight = weight, shift = PI / 50)

said <- function(fit) {
  list(
    coef = unname(coef(fit)), se = unname(sqrt(diag(fit$var))), low = unname(fit$ci.lower),
    high = unname(fit$ci.upper), p = unname(fit$prob), loglik = unname(fit$loglik)
  )
}
with_tau <- function(tau) logistf.mod.control(tau = tau)
full <- logistf(formula, endometrial, control = control, plcontrol = plcontrol)
compared <- function(smaller) {
  other <- logistf(smaller, endometrial, control = control, plcontrol = plcontrol)
  tested <- anova(full, other)
  list(statistic = unname(tested$chisq), df = tested$df, p = unname(tested$pval))
}
taus <- c(0.1, 0.25, 1)
answer <- list(
  version = as.character(packageVersion("logistf")),
  endometrial = as.list(endometrial), weight = weight,
  anova = list(PI = compared(HG ~ PI), PI_EH = compared(HG ~ PI + EH)),
  flic = said(flic(formula, endometrial, control = control, plcontrol = plcontrol)),
  flac = said(flac(formula, endometrial, control = control, plcontrol = plcontrol)),
  flac_tau = said(flac(
    formula, endometrial,
    control = control, plcontrol = plcontrol, modcontrol = with_tau(0.2)
  )),
  tau = lapply(taus, function(tau) {
    fit <- logistf(
      formula, endometrial,
      control = control, plcontrol = plcontrol, modcontrol = with_tau(tau)
    )
    c(tau = tau, said(fit))
  }),
  weighted_tau = said(logistf(
    formula, weighted,
    weights = weight, offset = shift, control = control, plcontrol = plcontrol,
    modcontrol = with_tau(0.2)
  ))
)
write_json(answer, commandArgs(TRUE)[[1]], digits = NA, auto_unbox = TRUE)
