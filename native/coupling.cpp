// The coupling kernels of one target; compiled once for each, with its own flags and PWC_TARGET.
#include "closed_form.hpp"
#include "ht.hpp"
#include "logit.hpp"
#include "wlw.hpp"

namespace pwc::PWC_TARGET {

extern const Method methods[N_METHODS];
const Method methods[N_METHODS] = {
    {"ht", couple<Ht>}, {"wlw1", couple<Wlw1>}, {"wlw2", couple<Wlw2>}, {"logit", couple<Logit>}, {"pkpd", couple<Pkpd>},
    {"rv", couple<Rv>}, {"vote", couple<Vote>}, {"sum", couple<Sum>},   {"bayes", couple<Bayes>},
};

} // namespace pwc::PWC_TARGET
