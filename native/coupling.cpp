// The coupling kernels of one target; compiled once for each, with its own flags and PWC_TARGET.
#include "closed_form.hpp"
#include "ht.hpp"
#include "log_odds.hpp"
#include "wlw.hpp"

namespace pwc::PWC_TARGET {

extern const Kernels kernels;
const Kernels kernels = {
    couple<Ht>, couple<Wlw1>, couple<Wlw2>, couple<LogOdds>, couple<Pkpd>,
    couple<Rv>, couple<Vote>, couple<Sum>,  couple<Bayes>,
};

} // namespace pwc::PWC_TARGET
