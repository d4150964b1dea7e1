//! Block-sparse Cholesky, exact line search and sparse export.
